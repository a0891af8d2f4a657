// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/onnx_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "model/dense_models.h"
#include "model/features.h"
#include "model/metadata/threshold.h"
#include "model/onnx_bytes.h"

namespace packetwarp::model::test {
namespace {

using onnx::element_type;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

// A file whose only content is a tensor, or the line that refuses it.
[[nodiscard]] onnx::file with_tensor(message const& tensor) {
  return file_of(message{}.within(7, message{}.within(5, tensor)).bytes());
}
[[nodiscard]] std::string refusal_of_bytes(std::string const& bytes) {
  try {
    (void)file_of(bytes);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "read";
}
[[nodiscard]] std::string refusal_of_tensor(message const& tensor) {
  return refusal_of_bytes(message{}.within(7, message{}.within(5, tensor)).bytes());
}

TEST(onnx_file, a_model_has_its_nodes_tensors_inputs_outputs_and_metadata) {
  auto const read = file_of(bytes_of(small_network()));
  ASSERT_EQ(read.nodes.size(), 11U);
  EXPECT_EQ(read.nodes[10].op_type, "Gemm");
  EXPECT_EQ(read.nodes[10].name, "the_y");
  EXPECT_THAT(read.nodes[10].inputs, ElementsAre("h_real", "w2_real", "b2_real"));
  ASSERT_NE(read.nodes[10].find("transB"), nullptr);
  EXPECT_EQ(read.nodes[10].find("transB")->integer, 1);
  EXPECT_EQ(read.nodes[10].find("transA"), nullptr);
  ASSERT_EQ(read.inputs.size(), 1U);
  EXPECT_EQ(read.inputs[0].type, element_type::float32);
  EXPECT_THAT(read.inputs[0].dims, ElementsAre(0, 2));
  EXPECT_EQ(read.outputs.at(0).name, "y");
  EXPECT_THAT(read.metadata, ElementsAre(std::pair{"features", "a,b"}));
}

TEST(onnx_file, values_of_all_types_are_read_raw_packed_and_one_by_one) {
  EXPECT_THAT(with_tensor(integers("t", {3}, element_type::int8, {-128, 0, 127})).initializers[0].integers,
              ElementsAre(-128, 0, 127));
  EXPECT_THAT(with_tensor(integers("t", {2}, element_type::uint8, {0, 255})).initializers[0].integers,
              ElementsAre(0, 255));
  EXPECT_THAT(with_tensor(integers("t", {1, 2}, element_type::int32, {-2'000'000'000, 7})).initializers[0].integers,
              ElementsAre(-2'000'000'000, 7));
  EXPECT_THAT(with_tensor(integers("t", {1}, element_type::int64, {INT64_MIN})).initializers[0].integers,
              ElementsAre(INT64_MIN));
  EXPECT_THAT(with_tensor(floats("t", {2}, {1.5F, -0.25F})).initializers[0].floats, ElementsAre(1.5F, -0.25F));
  auto const one_by_one = message{}.integer(1, 2).integer(2, 3).integer(5, -5).integer(5, 6);
  EXPECT_THAT(with_tensor(one_by_one).initializers[0].integers, ElementsAre(-5, 6));
  auto const packed = message{}.integer(1, 2).integer(2, 6).text(5, message{}.varint(300).varint(1).bytes());
  EXPECT_THAT(with_tensor(packed).initializers[0].integers, ElementsAre(300, 1));
  auto const raw_floats = message{}.integer(1, 1).integer(2, 1).text(9, message{}.little_endian(0x3fc00000, 4).bytes());
  EXPECT_THAT(with_tensor(raw_floats).initializers[0].floats, ElementsAre(1.5F));
}

TEST(onnx_file, unknown_fields_are_skipped) {
  auto const bytes = message{}.integer(99, 5).text(1000, "later").number(77, 1).bytes() + bytes_of(small_network());
  EXPECT_EQ(file_of(bytes).nodes.size(), 11U);
}

TEST(onnx_file, a_tensor_whose_values_do_not_fit_is_refused_by_name) {
  EXPECT_THAT(refusal_of_tensor(integers("few", {3}, element_type::int8, {1, 2})),
              HasSubstr("m.onnx: is no ONNX model: tensor 'few' has 2 values; its dimensions say 3"));
  EXPECT_THAT(refusal_of_tensor(integers("below", {-1}, element_type::int8, {})), HasSubstr("has a dimension of -1"));
  EXPECT_THAT(refusal_of_tensor(integers("huge", {1 << 20, 1 << 20, 1 << 20}, element_type::int8, {})),
              HasSubstr("'huge' is too large"));
  EXPECT_THAT(refusal_of_tensor(message{}.integer(1, 1).integer(2, 3).integer(5, 200).text(8, "wide")),
              HasSubstr("'wide' has the value 200, which is no int8"));
  EXPECT_THAT(refusal_of_tensor(message{}.integer(1, 1).integer(2, 6).text(9, "abc").text(8, "cut")),
              HasSubstr("'cut' ends in the middle of a value"));
  EXPECT_THAT(refusal_of_tensor(message{}.integer(1, 1).integer(2, 3).integer(5, 2).text(9, "a").text(8, "two")),
              HasSubstr("'two' has its values twice"));
}

TEST(onnx_file, bytes_that_are_no_message_are_refused_in_a_line) {
  EXPECT_THAT(refusal_of_bytes(""), HasSubstr("m.onnx: is no ONNX model: it has no graph"));
  EXPECT_THAT(refusal_of_bytes("PK\x03\x04 a zip archive"), StartsWith("m.onnx: is no ONNX model: "));
  EXPECT_THAT(refusal_of_bytes(std::string(20, '\xff')), HasSubstr("longer than ten bytes"));
  EXPECT_THAT(refusal_of_bytes(message{}.varint(7U << 3 | 2).varint(1000).bytes()), HasSubstr("ends in the middle"));
  EXPECT_THAT(refusal_of_bytes(message{}.varint(7U << 3 | 3).bytes()), HasSubstr("the wire type 3"));
  EXPECT_THAT(refusal_of_bytes(message{}.varint(2).bytes()), HasSubstr("no field has the number 0"));
  EXPECT_THAT(refusal_of_bytes(message{}.integer(7, 1).bytes()), HasSubstr("field 7 has the wire type 0 instead of 2"));
}

TEST(onnx_file, every_cut_of_a_model_is_read_or_refused) {
  auto const bytes = bytes_of(small_network());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    auto const said = refusal_of_bytes(bytes.substr(0, size));
    EXPECT_TRUE(said == "read" || said.starts_with("m.onnx: is no ONNX model: ")) << said;
  }
}

TEST(onnx_file, a_file_with_more_numbers_than_the_bound_is_refused) {
  auto const zeros = message{}.integer(2, 3).text(9, std::string(onnx::most_numbers + 1, '\0'));
  EXPECT_THAT(refusal_of_tensor(zeros), HasSubstr("more than 16777216 numbers"));
  auto const empty_text = message{}.text(1, "").bytes();
  std::string texts;
  for (std::size_t i = 0; i <= onnx::most_items; ++i) texts += empty_text;
  EXPECT_THAT(refusal_of_bytes(message{}.within(7, message{}.raw(texts)).bytes()),
              HasSubstr("more than 1048576 messages and texts"));
}

TEST(onnx_file, a_key_of_the_metadata_that_is_named_twice_is_refused) {
  auto file = file_of(bytes_of(small_network()));
  file.metadata = {{"features", "a,b"}, {"threshold", "0.5"}};
  EXPECT_THAT(features_of(file), ElementsAre("a", "b"));
  EXPECT_EQ(threshold_of(file), 0.5);
  auto const refusal_by = [&](auto const& read) -> std::string {
    try {
      (void)read(file);
    } catch (usage_error const& wrong) {
      return wrong.what();
    }
    return "read";
  };
  file.metadata.emplace_back("threshold", "0.5");
  EXPECT_THAT(refusal_by(threshold_of), StartsWith("m.onnx: its metadata_props have the key 'threshold' twice"));
  EXPECT_EQ(refusal_by(features_of), "read");
  file.metadata.emplace_back("features", "b,a");
  EXPECT_THAT(refusal_by(features_of), StartsWith("m.onnx: its metadata_props have the key 'features' twice"));
}

TEST(onnx_file, a_path_that_cannot_be_read_is_refused_with_the_reason) {
  EXPECT_THROW((void)onnx::read_file("/nowhere/m.onnx"), usage_error);
  try {
    (void)onnx::read_file("/tmp");
    FAIL();
  } catch (usage_error const& wrong) {
    EXPECT_THAT(wrong.what(), HasSubstr("/tmp: is a directory"));
  }
}

}  // namespace
}  // namespace packetwarp::model::test

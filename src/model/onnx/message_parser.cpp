// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/onnx/message_parser.h"

#include <fmt/format.h>

#include "model/onnx/tensor_values.h"

namespace packetwarp::model::onnx {
namespace {

// Numbers of fields: onnx.proto.
namespace model_field {
enum : std::uint32_t { format = 1, graph = 7, imports = 8, metadata = 14 };
}
namespace graph_field {
enum : std::uint32_t { node = 1, initializer = 5, input = 11, output = 12 };
}
namespace node_field {
enum : std::uint32_t { input = 1, output = 2, name = 3, op_type = 4, attribute = 5, domain = 7 };
}
namespace attribute_field {
enum : std::uint32_t { name = 1, number = 2, integer = 3, text = 4, value = 5, numbers = 7, integers = 8, texts = 9 };
}
namespace tensor_field {
enum : std::uint32_t {
  dims = 1,
  data_type = 2,
  float_data = 4,
  int32_data = 5,
  int64_data = 7,
  name = 8,
  raw_data = 9,
  data_location = 14
};
}

}  // namespace

void message_parser::count_items(std::size_t more) {
  items_ += more;
  if (items_ > most_items) throw malformed_message(fmt::format("it has more than {} messages and texts", most_items));
}

void message_parser::count_numbers(std::size_t more) {
  numbers_ += more;
  if (numbers_ > most_numbers) throw malformed_message(fmt::format("it has more than {} numbers", most_numbers));
}

std::string message_parser::text_of(protobuf_reader const& reader) {
  count_items(1);
  return reader.text();
}

void message_parser::add_integers(protobuf_reader const& reader, std::vector<std::int64_t>& to) {
  reader.each_integer([&](std::int64_t value) {
    count_numbers(1);
    to.push_back(value);
  });
}

void message_parser::add_floats(protobuf_reader const& reader, std::vector<float>& to) {
  reader.each_float32([&](float value) {
    count_numbers(1);
    to.push_back(value);
  });
}

void message_parser::read_model(bytes message, file& into) {
  bool has_graph = false;
  for (protobuf_reader reader{message}; reader.next();) {
    if (reader.field() == model_field::graph) {
      has_graph = true;
      read_graph(reader.bytes(), into);
    } else if (reader.field() == model_field::metadata) {
      read_metadata(reader.bytes(), into);
    } else if (reader.field() == model_field::format) {
      into.format = reader.integer();
    } else if (reader.field() == model_field::imports) {
      read_import(reader.bytes(), into);
    }
  }
  if (!has_graph) throw malformed_message("it has no graph");
}

void message_parser::read_metadata(bytes message, file& into) {
  count_items(1);
  auto& entry = into.metadata.emplace_back();
  for (protobuf_reader reader{message}; reader.next();) {
    if (reader.field() == 1) entry.first = text_of(reader);
    if (reader.field() == 2) entry.second = text_of(reader);
  }
}

void message_parser::read_import(bytes message, file& into) {
  count_items(1);
  auto& made = into.imports.emplace_back();
  for (protobuf_reader reader{message}; reader.next();) {
    if (reader.field() == 1) made.first = text_of(reader);
    if (reader.field() == 2) made.second = reader.integer();
  }
}

void message_parser::read_graph(bytes message, file& into) {
  for (protobuf_reader reader{message}; reader.next();) {
    switch (reader.field()) {
      case graph_field::node:
        into.nodes.push_back(read_node(reader.bytes()));
        break;
      case graph_field::initializer:
        into.initializers.push_back(read_tensor(reader.bytes()));
        break;
      case graph_field::input:
        into.inputs.push_back(read_value_info(reader.bytes()));
        break;
      case graph_field::output:
        into.outputs.push_back(read_value_info(reader.bytes()));
        break;
      default:
        break;
    }
  }
}

node message_parser::read_node(bytes message) {
  count_items(1);
  node made;
  for (protobuf_reader reader{message}; reader.next();) {
    switch (reader.field()) {
      case node_field::input:
        made.inputs.push_back(text_of(reader));
        break;
      case node_field::output:
        made.outputs.push_back(text_of(reader));
        break;
      case node_field::name:
        made.name = text_of(reader);
        break;
      case node_field::op_type:
        made.op_type = text_of(reader);
        break;
      case node_field::attribute:
        made.attributes.push_back(read_attribute(reader.bytes()));
        break;
      case node_field::domain:
        made.domain = text_of(reader);
        break;
      default:
        break;
    }
  }
  return made;
}

attribute message_parser::read_attribute(bytes message) {
  count_items(1);
  attribute made;
  for (protobuf_reader reader{message}; reader.next();) {
    switch (reader.field()) {
      case attribute_field::name:
        made.name = text_of(reader);
        break;
      case attribute_field::number:
        made.number = reader.float32();
        break;
      case attribute_field::integer:
        made.integer = reader.integer();
        break;
      case attribute_field::text:
        made.text = text_of(reader);
        break;
      case attribute_field::value:
        made.value = read_tensor(reader.bytes());
        break;
      case attribute_field::numbers:
        add_floats(reader, made.numbers);
        break;
      case attribute_field::integers:
        add_integers(reader, made.integers);
        break;
      case attribute_field::texts:
        made.texts.push_back(text_of(reader));
        break;
      default:
        break;
    }
  }
  return made;
}

tensor message_parser::read_tensor(bytes message) {
  count_items(1);
  tensor made;
  bytes raw;
  for (protobuf_reader reader{message}; reader.next();) {
    switch (reader.field()) {
      case tensor_field::dims:
        add_integers(reader, made.dims);
        break;
      case tensor_field::data_type:
        made.type = static_cast<element_type>(reader.integer());
        break;
      case tensor_field::float_data:
        add_floats(reader, made.floats);
        break;
      case tensor_field::int32_data:
      case tensor_field::int64_data:
        add_integers(reader, made.integers);
        break;
      case tensor_field::name:
        made.name = text_of(reader);
        break;
      case tensor_field::raw_data:
        raw = reader.bytes();
        break;
      case tensor_field::data_location:
        made.is_external = reader.integer() != 0;
        break;
      default:
        break;
    }
  }
  if (made.is_external || !has_values(made.type)) {
    made.integers.clear();
    made.floats.clear();
    return made;
  }
  (made.type == element_type::float32 ? made.integers.clear() : made.floats.clear());
  if (!raw.empty()) {
    count_numbers(raw.size() / bytes_of(made.type));
    decode_raw(raw, made);
  }
  require_sound(made);
  return made;
}

value_info message_parser::read_value_info(bytes message) {
  count_items(1);
  value_info made;
  for (protobuf_reader reader{message}; reader.next();) {
    if (reader.field() == 1) made.name = text_of(reader);
    if (reader.field() == 2) read_type(reader.bytes(), made);
  }
  return made;
}

// TypeProto: its tensor_type, with an element type and a shape.
void message_parser::read_type(bytes message, value_info& into) {
  for (protobuf_reader reader{message}; reader.next();) {
    if (reader.field() != 1) continue;
    for (protobuf_reader tensor{reader.bytes()}; tensor.next();) {
      if (tensor.field() == 1) into.type = static_cast<element_type>(tensor.integer());
      if (tensor.field() == 2) read_shape(tensor.bytes(), into);
    }
  }
}

void message_parser::read_shape(bytes message, value_info& into) {
  for (protobuf_reader reader{message}; reader.next();) {
    if (reader.field() != 1) continue;
    count_numbers(1);
    auto& dim = into.dims.emplace_back(0);
    for (protobuf_reader value{reader.bytes()}; value.next();) {
      if (value.field() == 1) dim = value.integer();
    }
  }
}

}  // namespace packetwarp::model::onnx

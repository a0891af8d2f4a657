// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/compiled/common_text.h"

#include <cstdint>
#include <unordered_set>

namespace packetwarp::inspect {
namespace {

// In small letters. Methods, versions and fields of HTTP (RFC 9110, RFC 6265) with the values that clients and servers
// of all kinds send; then pages and scripts, names of DNS, mail, files and shares.
constexpr std::string_view common_texts[] = {
    "get / http/1.1\r\nhost: www.",
    "post / http/1.1\r\nhost: ",
    "get http://www.",
    "https://www.",
    " http/1.0\r\nhost: ",
    ".php?",
    ".php http/1.1\r\n",
    ".html http/1.1\r\n",
    ".gif http/1.1\r\n",
    ".jpg http/1.1\r\n",
    ".png http/1.1\r\n",
    ".js http/1.1\r\n",
    ".css http/1.1\r\n",
    ".com\r\n",
    ".org\r\n",
    ".net\r\n",
    "index.php",
    "index.html",
    "\r\naccept: */*\r\n",
    "\r\naccept: text/html,application/xhtml+xml,application/xml;q=0.9,image/webp,*/*;q=0.8\r\n",
    "\r\naccept-language: en-us,en;q=0.5\r\n",
    "\r\naccept-encoding: gzip, deflate, br\r\n",
    "\r\naccept-charset: iso-8859-1,utf-8;q=0.7,*;q=0.7\r\n",
    "\r\naccept-ranges: bytes\r\n",
    "\r\naccess-control-allow-origin: *\r\n",
    "\r\nage: 0\r\n",
    "\r\nauthorization: basic ",
    "\r\ncache-control: no-cache\r\n",
    "\r\ncache-control: no-store, must-revalidate, max-age=0, private, public\r\n",
    "\r\nconnection: keep-alive\r\n",
    "\r\nconnection: close\r\n\r\n",
    "\r\nkeep-alive: timeout=5, max=100\r\n",
    "\r\ncontent-length: 0\r\n",
    "\r\ncontent-length: 1",
    "\r\ncontent-type: text/html; charset=utf-8\r\n",
    "\r\ncontent-type: text/html; charset=iso-8859-1\r\n",
    "\r\ncontent-type: text/plain\r\n",
    "\r\ncontent-type: application/x-www-form-urlencoded\r\n",
    "\r\ncontent-type: application/octet-stream\r\n",
    "\r\ncontent-type: application/json\r\n",
    "\r\ncontent-type: application/x-javascript\r\n",
    "\r\ncontent-type: image/gif\r\n",
    "\r\ncontent-type: image/jpeg\r\n",
    "\r\ncontent-type: image/png\r\n",
    "content-type: multipart/form-data; boundary=----",
    "\r\ncontent-disposition: form-data; name=\"",
    "content-disposition: attachment; filename=\"",
    "\r\ncontent-encoding: gzip\r\n",
    "\r\ntransfer-encoding: chunked\r\n\r\n",
    "\r\ncookie: ",
    "\r\nset-cookie: ",
    "; path=/; domain=.",
    "; expires=",
    "; httponly",
    "; secure",
    "\r\ndate: mon, tue, wed, thu, fri, sat, sun, ",
    " jan 20",
    " feb 20",
    " mar 20",
    " apr 20",
    " may 20",
    " jun 20",
    " jul 20",
    " aug 20",
    " sep 20",
    " oct 20",
    " nov 20",
    " dec 20",
    ":00 gmt\r\n",
    "\r\netag: \"",
    "\r\nexpires: -1\r\n",
    "\r\nexpires: thu, 01 jan 1970 00:00:00 gmt\r\n",
    "\r\nif-modified-since: ",
    "\r\nif-none-match: \"",
    "\r\nlast-modified: ",
    "\r\nlocation: http://",
    "\r\norigin: http://",
    "\r\nreferer: http://www.",
    "\r\nreferer: https://",
    "\r\npragma: no-cache\r\n",
    "\r\nserver: apache/2.",
    "\r\nserver: nginx\r\n",
    "\r\nserver: microsoft-iis/",
    "\r\nupgrade-insecure-requests: 1\r\n",
    "\r\nuser-agent: mozilla/5.0 (windows nt 10.0; win64; x64) applewebkit/537.36 (khtml",
    "applewebkit/537.36 (khtml, like gecko) chrome/100.0.0.0 safari/537.36\r\n",
    "\r\nuser-agent: mozilla/4.0 (compatible; msie 6.0; windows nt 5.1; sv1; .net clr 2.0.50727)\r\n",
    "\r\nuser-agent: mozilla/5.0 (macintosh; intel mac os x 10_15; rv:100.0) gecko/20100101 firefox/100.0\r\n",
    "\r\nuser-agent: curl/7.",
    "mozilla/5.0 (x11; linux x86_64)",
    "mozilla/5.0 (windows; u; windows nt 5.1; en-us; rv:1.",
    "\r\nvary: accept-encoding\r\n",
    "\r\nvia: 1.1 ",
    "\r\nx-forwarded-for: ",
    "\r\nx-powered-by: php/",
    "\r\nx-powered-by: asp.net\r\n",
    "\r\nx-requested-with: xmlhttprequest\r\n",
    "http/1.1 200 ok\r\n",
    "http/1.0 200 ok\r\n",
    "http/1.1 302 found\r\n",
    "http/1.1 304 not modified\r\n",
    "http/1.1 404 not found\r\n",
    "http/1.1 301 moved permanently\r\n",
    "<!doctype html public \"-//w3c//dtd xhtml 1.0 transitional//en\"",
    "<html><head><title>",
    "</title>",
    "</head><body",
    "<script type=\"text/javascript\"",
    "<script language=\"javascript\">",
    "<script src=\"",
    "</script>",
    "<meta http-equiv=\"",
    "<link rel=\"stylesheet\" type=\"text/css\" href=\"",
    "<a href=\"http",
    "<img src=\"",
    "<div class=\"",
    "<div id=\"",
    "</div>",
    "</body></html>",
    "<input type=\"hidden\" name=\"",
    " value=\"",
    "<form action=\"",
    " method=\"post\"",
    "<iframe src=\"",
    " width=\"1",
    " height=\"1",
    "function(",
    "document.write(",
    "document.getelementbyid(",
    "window.location",
    ".length",
    "return ",
    "javascript:",
    "<?xml version=\"1.0\" encoding=\"utf-8\"?>",
    "\003www",
    "\003com",
    "\003net",
    "\003org",
    "mail from:<",
    "rcpt to:<",
    "\r\nsubject: ",
    "\r\nmime-version: 1.0\r\n",
    "this program cannot be run in dos mode.",
    "\377smb",
    "\376smb",
    "kernel32.dll",
    "password",
    "username",
    "content-",
    "windows",
    "microsoft",
    "\\system32\\",
    "c:\\windows\\",
    "/cgi-bin/",
    "/images/",
    "/wp-content/"};

[[nodiscard]] std::uint32_t number_of(std::string_view piece) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < piece_bytes; ++i) {
    char const c = piece[i];
    char const small = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    number = number << 8 | static_cast<unsigned char>(small);
  }
  return number;
}

[[nodiscard]] std::unordered_set<std::uint32_t> pieces_of_common_texts() {
  std::unordered_set<std::uint32_t> made;
  for (auto const text : common_texts) {
    for (std::size_t at = 0; at + piece_bytes <= text.size(); ++at) made.insert(number_of(text.substr(at)));
  }
  return made;
}

}  // namespace

bool is_common_piece(std::string_view piece) {
  static auto const common = pieces_of_common_texts();
  return common.contains(number_of(piece));
}

}  // namespace packetwarp::inspect

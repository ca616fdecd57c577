#include "daemon/http/text_format.h"

#include <prometheus/metric_family.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <ostream>
#include <string_view>

namespace oxpool::daemon::http {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

template <typename Number, typename... Form>
void append_number(std::string* out, Number value, Form... form) {
  char digits[32];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, value, form...);
  out->append(digits, end);
}

void append_value(std::string* out, double value) {
  if (std::isnan(value)) {
    *out += "Nan";
  } else if (std::isinf(value)) {
    *out += value < 0 ? "-Inf" : "+Inf";
  } else if (value == std::trunc(value) && std::abs(value) < 1e15) {
    append_number(out, static_cast<int64_t>(value));
  } else {
    append_number(out, value, std::chars_format::general,
                  std::numeric_limits<double>::max_digits10 - 1);
  }
}

void append_escaped(std::string* out, std::string_view text) {
  for (const char c : text) {
    if (c == '\n') {
      *out += "\\n";
    } else {
      if (c == '\\' || c == '"') *out += '\\';
      *out += c;
    }
  }
}

// NAME="VALUE",… without the braces.
std::string labels_of(const ClientMetric& metric) {
  std::string labels;
  for (const auto& label : metric.label) {
    if (!labels.empty()) labels += ',';
    labels += label.name;
    labels += "=\"";
    append_escaped(&labels, label.value);
    labels += '"';
  }
  return labels;
}

class FamilyText {
 public:
  FamilyText(const MetricFamily& family, std::string* out) : family_(family), out_(out) {}

  void write() {
    if (!family_.help.empty()) *out_ += "# HELP " + family_.name + " " + family_.help + "\n";
    *out_ += "# TYPE " + family_.name + " " + type_text() + "\n";
    for (const ClientMetric& metric : family_.metric) write(metric);
  }

 private:
  const char* type_text() const {
    switch (family_.type) {
      case MetricType::Counter:
        return "counter";
      case MetricType::Histogram:
        return "histogram";
      default:
        return "gauge";  // nothing else is made here
    }
  }

  void write(const ClientMetric& metric) {
    const std::string labels = labels_of(metric);
    if (family_.type == MetricType::Histogram) return write(metric.histogram, labels);
    line("", labels);
    append_value(out_,
                 family_.type == MetricType::Counter ? metric.counter.value : metric.gauge.value);
    *out_ += '\n';
  }

  void write(const ClientMetric::Histogram& histogram, const std::string& labels) {
    line("_count", labels);
    append_number(out_, histogram.sample_count);
    *out_ += '\n';
    line("_sum", labels);
    append_value(out_, histogram.sample_sum);
    *out_ += '\n';
    for (size_t i = 0; i < histogram.bucket.size(); ++i) {
      const auto& bucket = histogram.bucket[i];
      *out_ += family_.name;
      *out_ += "_bucket{";
      *out_ += labels;
      if (!labels.empty()) *out_ += ',';
      *out_ += "le=\"";
      *out_ += bound_text(i, bucket.upper_bound);
      *out_ += "\"} ";
      append_number(out_, bucket.cumulative_count);
      *out_ += '\n';
    }
  }

  void line(const char* suffix, const std::string& labels) {
    *out_ += family_.name;
    *out_ += suffix;
    if (!labels.empty()) {
      *out_ += '{';
      *out_ += labels;
      *out_ += '}';
    }
    *out_ += ' ';
  }

  // The bounds of a family's histograms are the same.
  const std::string& bound_text(size_t i, double bound) {
    if (i >= bounds_.size()) bounds_.resize(i + 1, {std::nan(""), ""});
    if (bounds_[i].first != bound) {
      bounds_[i] = {bound, ""};
      append_value(&bounds_[i].second, bound);
    }
    return bounds_[i].second;
  }

  const MetricFamily& family_;
  std::string* const out_;
  std::vector<std::pair<double, std::string>> bounds_;
};

}  // namespace

std::string TextFormat::Serialize(const std::vector<MetricFamily>& families) const {
  std::string text;
  for (const MetricFamily& family : families) FamilyText(family, &text).write();
  return text;
}

void TextFormat::Serialize(std::ostream& out, const std::vector<MetricFamily>& families) const {
  out << Serialize(families);
}

}  // namespace oxpool::daemon::http

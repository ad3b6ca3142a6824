import BaizeClient
import BaizeTable

struct Note: Codable {
  var title: String
}

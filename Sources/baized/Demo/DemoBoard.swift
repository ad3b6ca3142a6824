import BaizeTableTypes

/// The table type of the demo: a board of tasks, which anyone may move anywhere.
enum DemoBoard {
  static let name = "tasks"

  /// - Throws: `DocumentMistakes`, if the document below has any.
  static func document() throws -> TableTypeDocument { try TableTypeDocument(parsing: json) }

  private static let json = """
    {
      "baize": 1,
      "name": "tasks",
      "title": "A board of tasks",
      "seats": { "max": 8 },
      "contention": "first",
      "show": { "title": "title" },
      "collections": [
        { "kind": "todo", "show": { "title": "To do" } },
        { "kind": "doing", "accept": { "capacity": { "max": 4 } }, "show": { "title": "Doing" } },
        { "kind": "done", "show": { "title": "Done" } }
      ],
      "setUp": [
        {
          "items": [
            { "attributes": { "title": "Logo" } },
            { "attributes": { "title": "Login" } },
            { "attributes": { "title": "Search" } },
            { "attributes": { "title": "Backup" } },
            { "attributes": { "title": "Invoices" } },
            { "attributes": { "title": "Help page" } },
            { "attributes": { "title": "Icons" } },
            { "attributes": { "title": "Tests" } },
            { "attributes": { "title": "Release" } }
          ],
          "deal": [{ "to": "todo" }]
        }
      ]
    }
    """
}

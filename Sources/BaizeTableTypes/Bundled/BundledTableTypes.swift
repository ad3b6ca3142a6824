/// The documents that come with Baize, as the texts of their files in `Protocol/table-types`.
///
/// `Protocol/embed_table_types.py` writes them; a test holds that they equal the files.
public enum BundledTableTypes {
  public static let documents: [(name: String, text: String)] = [
    ("grid", grid), ("hand", hand), ("kanban", kanban), ("klondike", klondike), ("list", list), ("nerts", nerts),
    ("playlist", playlist), ("speed", speed),
  ]
}

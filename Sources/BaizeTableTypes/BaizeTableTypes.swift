// BaizeTableTypes: see DESIGN.md, section 2.

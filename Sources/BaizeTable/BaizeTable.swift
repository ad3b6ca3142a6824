// BaizeTable: see DESIGN.md, section 2.

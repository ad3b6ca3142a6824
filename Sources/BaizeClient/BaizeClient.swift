// BaizeClient: see DESIGN.md, section 2.

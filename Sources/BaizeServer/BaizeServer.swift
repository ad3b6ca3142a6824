// BaizeServer: see DESIGN.md, section 2.

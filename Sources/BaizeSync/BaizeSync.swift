// BaizeSync: see DESIGN.md, section 2.

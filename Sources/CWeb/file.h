// One file, whose path is FILE: a case of the switch in files.c.
  case __COUNTER__: {
    static const unsigned char bytes[] = {
#embed FILE
    };
    return (struct web_file){&FILE[sizeof FOLDER - 1], bytes, sizeof bytes};
  }
#undef FILE

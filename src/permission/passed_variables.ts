/** The user's variables that commands see: what programs need to start and behave, and the places of toolchains. No keys. */

const USUAL = ["PATH", "HOME", "LANG", "TERM", "TZ", "USER", "SHELL", "CI"];

/** Variables that choose a toolchain (version managers, modules, profiles); not those that load code (`LD_PRELOAD`, `NODE_OPTIONS`). */
const TOOLCHAINS = [
  ...["ANDROID_HOME", "ANDROID_SDK_ROOT", "GRADLE_HOME", "JAVA_HOME", "JDK_HOME", "M2_HOME"],
  ...["MAVEN_HOME", "SDKMAN_DIR", "KOTLIN_HOME", "SCALA_HOME", "DOTNET_ROOT"],
  ...["CONDA_DEFAULT_ENV", "CONDA_PREFIX", "PYENV_ROOT", "PYENV_VERSION", "PYTHONPATH"],
  ...["VIRTUAL_ENV", "GEM_HOME", "GEM_PATH", "RBENV_ROOT", "RBENV_VERSION", "RUBYLIB"],
  ...["FNM_DIR", "NODE_PATH", "NVM_BIN", "NVM_DIR", "VOLTA_HOME", "GOPATH", "GOROOT"],
  ...["RUSTUP_TOOLCHAIN", "PERL5LIB", "PERL_LOCAL_LIB_ROOT", "R_HOME", "R_LIBS"],
  ...["R_LIBS_SITE", "R_LIBS_USER", "JULIA_DEPOT_PATH", "LUA_CPATH", "LUA_PATH", "ERL_LIBS"],
  ...["CAML_LD_LIBRARY_PATH", "OCAMLPATH", "OCAML_TOPLEVEL_PATH", "OPAM_SWITCH_PREFIX"],
  ...["ASDF_DATA_DIR", "ASDF_DIR", "MISE_DATA_DIR", "NIX_PATH", "CUDA_HOME", "CUDA_PATH"],
  ...["CC", "CFLAGS", "CPPFLAGS", "CXX", "CXXFLAGS", "FC", "FFLAGS", "LDFLAGS"],
  ...["C_INCLUDE_PATH", "CPATH", "CPLUS_INCLUDE_PATH", "LD_LIBRARY_PATH", "LIBRARY_PATH"],
  ...["ACLOCAL_PATH", "CMAKE_PREFIX_PATH", "MKLROOT", "PKG_CONFIG_PATH"],
];

/** Where authorities of a company's own are: without them nothing can be downloaded there. */
const AUTHORITIES = [
  ...["CURL_CA_BUNDLE", "GIT_SSL_CAINFO", "NODE_EXTRA_CA_CERTS", "PIP_CERT"],
  ...["REQUESTS_CA_BUNDLE", "SSL_CERT_DIR", "SSL_CERT_FILE"],
];

const PASSED: ReadonlySet<string> = new Set([...USUAL, ...TOOLCHAINS, ...AUTHORITIES]);
const PROXY = /^(?:all|http|https|no)_proxy$/i;

/** Whether commands see a variable; that of a proxy where they have all networks, and it holds no password. */
export function is_passed(
  name: string,
  { value, all_networks }: { value: string; all_networks: boolean },
): boolean {
  return PASSED.has(name) || name.startsWith("LC_") ||
    (all_networks && PROXY.test(name) && !value.includes("@"));
}

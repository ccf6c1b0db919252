/** Where programs keep keys, tokens, cookies and histories. Commands may not read them unless the user says so. Plain data. */

interface SecretPlace {
  readonly tool: string;
  /** As people write paths; with `~`, in every home that is known. Files and folders; a `*` stands for a part of a name. */
  readonly paths: readonly string[];
  /** What leads the program elsewhere. */
  readonly moved: readonly Moved[];
  /** Where its own documents say so. */
  readonly source: string;
}

export interface Moved {
  readonly variable: string;
  /** Below what the variable names; empty: that itself. */
  readonly below: string;
  /** It names several, between colons. */
  readonly several: boolean;
}

/** A row a program: who, where (a `*` only at the end), which variable moves it (`:` several places), who says so. */
const TABLE = `
  OpenSSH | ~/.ssh |  | ssh(1), FILES
  GnuPG | ~/.gnupg | GNUPGHOME | gpg(1), --homedir
  age and SOPS and mise, fnox and chezmoi | ~/.config/fnox/age.txt, ~/.config/sops, ~/.config/age, ~/.age, ~/.config/mise/age.txt, ~/.config/chezmoi | SOPS_AGE_KEY_FILE | github.com/getsops/sops, README; mise.jdx.dev, secrets; chezmoi.io, encryption
  mailboxes and dumps of crashes | /var/mail, /var/spool/mail, /var/lib/systemd/coredump, /var/crash | MAIL | mbox(5); coredumpctl(1); wiki.ubuntu.com/Apport
  what was deleted | ~/.local/share/Trash |  | specifications.freedesktop.org/trash-spec
  WireGuard | ~/.wireguard, ~/.config/wireguard |  | wg-quick(8)
  pass | ~/.password-store | PASSWORD_STORE_DIR | pass(1), ENVIRONMENT
  passage | ~/.passage | PASSAGE_DIR, PASSAGE_IDENTITIES_FILE | github.com/FiloSottile/passage
  gopass | ~/.local/share/gopass, ~/.config/gopass |  | gopass docs/config.md
  GNOME Keyring | ~/.local/share/keyrings |  | wiki.gnome.org, GnomeKeyring
  KWallet | ~/.local/share/kwalletd |  | KDE Wallet handbook
  KeePassXC | ~/.config/keepassxc, ~/.cache/keepassxc |  | keepassxc.org, FAQ
  Bitwarden | ~/.config/Bitwarden, ~/.config/Bitwarden CLI | BITWARDENCLI_APPDATA_DIR | bitwarden.com/help/data-storage
  1Password | ~/.config/op, ~/.config/1Password | OP_CONFIG_DIR | developer.1password.com, op environment variables
  LastPass | ~/.lpass, ~/.local/share/lpass | LPASS_HOME | lpass(1)
  rbw | ~/.local/share/rbw, ~/.cache/rbw |  | github.com/doy/rbw
  Yubico and PAM U2F | ~/.config/Yubico |  | pam_u2f(8)
  macOS keychain | ~/Library/Keychains |  | security(1)
  Kerberos | /tmp/krb5cc_* | KRB5CCNAME | kerberos(7), ENVIRONMENT VARIABLES
  one-time passwords of PAM | ~/.google_authenticator |  | github.com/google/google-authenticator-libpam
  PowerShell SecretStore | ~/.secretmanagement |  | learn.microsoft.com/powershell/utility-modules/secretmanagement
  secrets of containers and services | /run/secrets, /var/run/secrets, /run/credentials, /run/secrets.d, /run/agenix, /run/agenix.d, ~/.config/sops-nix | XDG_RUNTIME_DIR/secrets.d, XDG_RUNTIME_DIR/agenix, XDG_RUNTIME_DIR/agenix.d | docs.docker.com/engine/swarm/secrets; github.com/Mic92/sops-nix; github.com/ryantm/agenix; kubernetes.io/docs, service accounts; systemd.exec(5), CREDENTIALS
  NetworkManager and NSS | ~/.cert, ~/.pki |  | nm-openvpn; certutil(1)
  clipboard managers | ~/.cache/cliphist, ~/.local/share/klipper, ~/.local/share/copyq, ~/.config/copyq, ~/.config/clipse, ~/.cache/clipcat, ~/.local/share/clipman.json, ~/.cache/greenclip.history, ~/.local/share/gpaste, ~/.cache/clipboard-indicator@tudmotu.com |  | cliphist README; userbase.kde.org/Klipper; copyq.readthedocs.io
  curl and ftp and git over HTTP | ~/.netrc, ~/_netrc | NETRC | netrc(5)
  Emacs | ~/.authinfo, ~/.authinfo.gpg |  | GNU Emacs auth-source manual, Help for users
  git-credential-store | ~/.git-credentials, ~/.config/git/credentials |  | git-credential-store(1), FILES
  git-credential-cache | ~/.git-credential-cache, ~/.cache/git/credential |  | git-credential-cache(1)
  Git Credential Manager | ~/.gcm | GCM_PLAINTEXT_STORE_PATH | git-credential-manager, docs/credstores.md
  Subversion and CVS and Breezy | ~/.subversion/auth, ~/.cvspass, ~/.config/breezy/authentication.conf |  | svnbook, caching credentials; cvs(1); breezy-vcs.org, authentication
  GitHub CLI | ~/.config/gh | GH_CONFIG_DIR | gh help environment
  hub | ~/.config/hub | HUB_CONFIG | hub(1), CONFIGURATION
  Gerrit and Google Source | ~/.gitcookies |  | gerrit-review.googlesource.com, HTTP credentials
  GitLab CLI | ~/.config/glab-cli | GLAB_CONFIG_DIR | glab README, Environment variables
  python-gitlab | ~/.python-gitlab.cfg | PYTHON_GITLAB_CFG | python-gitlab.readthedocs.io, configuration
  Gitea CLI | ~/.config/tea |  | gitea.com/gitea/tea
  Forgejo CLI and lab | ~/.local/share/forgejo-cli, ~/.config/lab |  | codeberg.org/forgejo-contrib/forgejo-cli; github.com/zaquestion/lab
  GitKraken | ~/.gitkraken |  | help.gitkraken.com
  gist and gist-vim | ~/.gist, ~/.gist-vim |  | github.com/defunkt/gist; github.com/mattn/vim-gist
  Bugzilla | ~/.bugzillarc, ~/.bugzillatoken, ~/.config/python-bugzilla, ~/.cache/python-bugzilla |  | github.com/python-bugzilla/python-bugzilla, bugzilla(1)
  GitHub Copilot | ~/.config/github-copilot, ~/.copilot |  | docs.github.com, Copilot CLI
  AWS CLI | ~/.aws | AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE | docs.aws.amazon.com, cli-configure-envvars
  Google Cloud CLI | ~/.config/gcloud | CLOUDSDK_CONFIG, GOOGLE_APPLICATION_CREDENTIALS | cloud.google.com, gcloud topic configurations
  gsutil and Boto | ~/.boto | BOTO_CONFIG | cloud.google.com/storage/docs/boto-gsutil
  Azure CLI | ~/.azure | AZURE_CONFIG_DIR | learn.microsoft.com, azure-cli-configuration
  Azure Developer CLI and MSAL | ~/.azd/auth, ~/.IdentityService, ~/.local/.IdentityService, ~/.local/share/.IdentityService | AZD_CONFIG_DIR/auth | learn.microsoft.com/azure/developer/azure-developer-cli; github.com/AzureAD/microsoft-authentication-extensions-for-dotnet
  Oracle Cloud CLI | ~/.oci | OCI_CLI_CONFIG_FILE | docs.oracle.com, clienvironmentvariables
  doctl | ~/.config/doctl |  | docs.digitalocean.com/reference/doctl
  hcloud | ~/.config/hcloud | HCLOUD_CONFIG | github.com/hetznercloud/cli
  Linode CLI | ~/.config/linode-cli, ~/.linode-cli | LINODE_CLI_CONFIG | linode-cli, Configuration
  Scaleway CLI | ~/.config/scw | SCW_CONFIG_PATH | github.com/scaleway/scaleway-cli
  Exoscale and Vultr and Civo and OVH | ~/.config/exoscale, ~/.vultr-cli.yaml, ~/.civo.json, ~/.ovh.conf | CIVOCONFIG | github.com/exoscale/cli; github.com/vultr/vultr-cli; github.com/civo/cli, config; github.com/ovh/python-ovh
  OpenStack | ~/.config/openstack | OS_CLIENT_CONFIG_FILE, OS_CLIENT_SECURE_FILE | docs.openstack.org/openstacksdk, configuration
  IBM Cloud CLI | ~/.bluemix | IBMCLOUD_HOME/.bluemix | cloud.ibm.com/docs/cli
  Alibaba Cloud CLI | ~/.aliyun |  | github.com/aliyun/aliyun-cli
  Yandex Cloud and Akamai and Fastly | ~/.config/yandex-cloud, ~/.edgerc, ~/.config/fastly/config.toml |  | yandex.cloud/docs/cli; techdocs.akamai.com, .edgerc; fastly.com/documentation, CLI
  Cloud Foundry and Concourse | ~/.cf/config.json, ~/.flyrc | CF_HOME/.cf/config.json | docs.cloudfoundry.org/cf-cli; concourse-ci.org/fly
  Clever Cloud and Pantheon | ~/.config/clever-cloud, ~/.terminus/cache |  | clever-cloud.com/developers, CLI; docs.pantheon.io/terminus
  Heroku CLI | ~/.local/share/heroku |  | devcenter.heroku.com/articles/authentication
  fly | ~/.fly | FLY_CONFIG_DIR | fly.io/docs/flyctl
  Vercel CLI | ~/.local/share/com.vercel.cli, ~/.vercel |  | vercel.com/docs/cli/global-options
  Netlify CLI | ~/.config/netlify, ~/.netlify |  | docs.netlify.com/cli
  Wrangler | ~/.config/.wrangler, ~/.wrangler | WRANGLER_HOME | developers.cloudflare.com/workers/wrangler
  Supabase CLI | ~/.supabase |  | supabase.com/docs/reference/cli
  Railway and Render and Convex | ~/.railway, ~/.render/cli.yaml, ~/.convex/config.json | RENDER_CLI_CONFIG_PATH, RENDER_CLI_CONFIG_DIR/cli.yaml | docs.railway.com/cli; render.com/docs/cli; docs.convex.dev/cli
  Turso and Neon and PlanetScale | ~/.config/turso, ~/.config/neonctl, ~/.config/planetscale | NEONCTL_CONFIG_DIR | docs.turso.tech/cli; neon.com/docs/reference/neon-cli; planetscale.com/docs/cli
  Firebase CLI | ~/.config/configstore |  | github.com/firebase/firebase-tools
  rclone | ~/.config/rclone, ~/.rclone.conf | RCLONE_CONFIG | rclone.org/docs
  s3cmd | ~/.s3cfg | S3CMD_CONFIG | s3tools.org/s3cmd
  Backblaze B2 | ~/.config/b2, ~/.b2_account_info, ~/.b2db-* | B2_ACCOUNT_INFO | b2-sdk-python.readthedocs.io, SqliteAccountInfo
  MinIO client | ~/.mc | MC_CONFIG_DIR | min.io/docs, mc global flags
  kubectl | ~/.kube | KUBECONFIG: | kubernetes.io, organize-cluster-access-kubeconfig
  Talos | ~/.talos | TALOSCONFIG | docs.siderolabs.com, talosctl
  OpenShift and Rancher | ~/.config/ocm, ~/.rancher/cli2.json | OCM_CONFIG | github.com/openshift-online/ocm-cli; ranchermanager.docs.rancher.com, CLI
  minikube and k3d and Lima and Colima | ~/.minikube/ca.key, ~/.minikube/certs, ~/.minikube/profiles, ~/.config/k3d, ~/.k3d, ~/.lima/_config, ~/.colima/_lima/_config |  | minikube.sigs.k8s.io; lima-vm.io/docs, internals
  Docker | ~/.docker/config.json, ~/.docker/contexts/tls, ~/.docker/trust/private | DOCKER_CONFIG/config.json, DOCKER_CONFIG/contexts/tls, DOCKER_CONFIG/trust/private | docs.docker.com/reference/cli/docker
  Incus and LXD and Podman machines and CRC | ~/.config/incus, ~/.config/lxc, ~/snap/lxd/common/config, ~/.local/share/containers/podman/machine/machine, ~/.crc/machines |  | linuxcontainers.org/incus/docs, authentication; podman-machine-init(1); crc.dev/docs
  Docker Machine | ~/.docker/machine | MACHINE_STORAGE_PATH | github.com/docker/machine, docs
  Podman and Buildah | ~/.config/containers/auth.json | REGISTRY_AUTH_FILE, XDG_RUNTIME_DIR/containers/auth.json | containers-auth.json(5)
  Helm | ~/.config/helm/registry | HELM_REGISTRY_CONFIG | helm help, environment variables
  Terraform | ~/.terraform.d/credentials.tfrc.json, ~/.terraformrc, ~/.tofurc | TF_CLI_CONFIG_FILE | developer.hashicorp.com/terraform/cli/config
  Pulumi | ~/.pulumi/credentials.json | PULUMI_HOME/credentials.json | pulumi.com/docs/cli/environment-variables
  Vault | ~/.vault-token |  | developer.hashicorp.com/vault/docs/commands/token-helper
  Doppler | ~/.doppler | DOPPLER_CONFIG_DIR | docs.doppler.com/docs/cli
  Ansible | ~/.vault_pass, ~/.vault_pass.txt, ~/.ansible_vault_pass, ~/.ansible/galaxy_token | ANSIBLE_VAULT_PASSWORD_FILE, ANSIBLE_GALAXY_TOKEN_PATH | docs.ansible.com, config reference
  Chef and Knife | ~/.chef |  | docs.chef.io/workstation/knife_setup
  Teleport | ~/.tsh | TELEPORT_HOME | goteleport.com/docs/reference/cli/tsh
  ngrok | ~/.config/ngrok, ~/.ngrok2 |  | ngrok.com/docs/agent/config
  Tailscale | ~/.config/tailscale |  | tailscale.com/kb, tailscaled
  MAAS | ~/.maascli.db |  | maas.io/docs, CLI
  npm and pnpm and Yarn and bun | ~/.npmrc, ~/.config/pnpm/rc, ~/.config/pnpm/auth.ini | NPM_CONFIG_USERCONFIG, npm_config_userconfig | docs.npmjs.com, npmrc
  pip | ~/.config/pip/pip.conf, ~/.pip/pip.conf | PIP_CONFIG_FILE | pip.pypa.io, configuration
  Bundler | ~/.bundle/config | BUNDLE_USER_CONFIG | bundle-config(1)
  cargo | ~/.cargo/credentials.toml, ~/.cargo/credentials | CARGO_HOME/credentials.toml, CARGO_HOME/credentials | doc.rust-lang.org/cargo, cargo home
  twine | ~/.pypirc |  | packaging.python.org/specifications/pypirc
  Poetry | ~/.config/pypoetry/auth.toml | POETRY_CONFIG_DIR/auth.toml | python-poetry.org/docs/configuration
  uv | ~/.local/share/uv/credentials |  | docs.astral.sh/uv/reference/cli, uv auth
  RubyGems | ~/.gem/credentials, ~/.local/share/gem/credentials | GEM_HOST_API_KEY_FILE | guides.rubygems.org/command-reference, signin
  Ivy and sbt and Coursier | ~/.ivy2/.credentials, ~/.sbt/.credentials, ~/.config/coursier/credentials.properties | COURSIER_CREDENTIALS | scala-sbt.org, publishing; get-coursier.io/docs
  CPAN and LuaRocks and Nimble | ~/.pause, ~/.luarocks/upload_config.lua, ~/.nimble/github_api_token |  | metacpan.org, CPAN::Uploader; luarocks.org; github.com/nim-lang/nimble
  Stack and JuliaHub | ~/.stack/upload, ~/.julia/servers |  | docs.haskellstack.org, upload; juliahub.com/docs, authentication
  Open Build Service and Copr | ~/.oscrc, ~/.config/osc/oscrc, ~/.config/copr | OSC_CONFIG | openbuildservice.org/help, osc; copr-cli(1)
  Erlang | ~/.erlang.cookie, ~/.config/erlang/.erlang.cookie |  | erlang.org/doc/system/distributed.html, security
  Maven | ~/.m2/settings.xml, ~/.m2/settings-security.xml |  | maven.apache.org/settings.html
  Gradle | ~/.gradle/gradle.properties | GRADLE_USER_HOME/gradle.properties | docs.gradle.org, build_environment
  Composer | ~/.config/composer/auth.json, ~/.composer/auth.json | COMPOSER_HOME/auth.json | getcomposer.org, authentication-for-private-packages
  NuGet | ~/.nuget/NuGet/NuGet.Config |  | learn.microsoft.com/nuget/consume-packages/configuring-nuget-behavior
  Conan | ~/.conan2/.conan.db, ~/.conan/.conan.db | CONAN_HOME/.conan.db | docs.conan.io, remotes and authentication
  Conda and Pixi | ~/.continuum, ~/.conda/.condarc-token, ~/.rattler/credentials.json | RATTLER_AUTH_FILE | docs.anaconda.com, anaconda-client; pixi.prefix.dev, authentication
  .NET | ~/.microsoft/usersecrets |  | learn.microsoft.com/aspnet/core/security/app-secrets
  Hex | ~/.hex/hex.config | HEX_HOME/hex.config | hexdocs.pm/hex, Mix.Tasks.Hex.Config
  pub | ~/.config/dart/pub-credentials.json |  | dart.dev/tools/pub/cmd/pub-token
  Hugging Face | ~/.cache/huggingface/token, ~/.cache/huggingface/stored_tokens | HF_TOKEN_PATH, HF_HOME/token, HF_HOME/stored_tokens | huggingface.co/docs/huggingface_hub, environment_variables
  Kaggle | ~/.kaggle, ~/.config/kaggle | KAGGLE_CONFIG_DIR/kaggle.json | github.com/Kaggle/kaggle-api
  Weights & Biases | ~/.config/wandb/settings | WANDB_CONFIG_DIR/settings | docs.wandb.ai, environment variables
  ClearML and Comet and MLflow | ~/clearml.conf, ~/.comet.config, ~/.mlflow/credentials | CLEARML_CONFIG_FILE, COMET_CONFIG | clear.ml/docs; comet.com/docs; mlflow.org/docs, credentials
  Databricks | ~/.databrickscfg, ~/.databricks | DATABRICKS_CONFIG_FILE | docs.databricks.com/dev-tools/auth/config-profiles
  Snowflake | ~/.snowflake, ~/.snowsql | SNOWFLAKE_HOME | docs.snowflake.com, snowflake-cli configuration
  dbt | ~/.dbt | DBT_PROFILES_DIR | docs.getdbt.com, profiles.yml
  Semgrep | ~/.semgrep/settings.yml | SEMGREP_SETTINGS_FILE | semgrep.dev/docs/cli-reference
  Sentry CLI | ~/.sentryclirc | SENTRY_PROPERTIES | docs.sentry.io/cli/configuration
  cloudflared | ~/.cloudflared | TUNNEL_ORIGIN_CERT | developers.cloudflare.com, tunnel permissions
  mitmproxy | ~/.mitmproxy |  | docs.mitmproxy.org, certificates
  minisign | ~/.minisign | MINISIGN_CONFIG_DIR | minisign(1)
  mkcert | ~/.local/share/mkcert/rootCA-key.pem | CAROOT/rootCA-key.pem | github.com/FiloSottile/mkcert, README
  Syncthing | ~/.config/syncthing, ~/.local/state/syncthing | STHOMEDIR | docs.syncthing.net, config
  Notation and KDE Connect and GSConnect | ~/.config/notation/localkeys, ~/.config/kdeconnect, ~/.config/gsconnect |  | notaryproject.dev/docs; userbase.kde.org/KDEConnect
  step | ~/.step/secrets | STEPPATH/secrets | smallstep.com/docs/step-cli
  Argo CD | ~/.config/argocd, ~/.argocd | ARGOCD_CONFIG_DIR | argo-cd.readthedocs.io, argocd login
  JFrog CLI | ~/.jfrog | JFROG_CLI_HOME_DIR | docs.jfrog.com, jfrog-cli environment variables
  CircleCI and Travis CLI | ~/.circleci/cli.yml, ~/.travis | TRAVIS_CONFIG_PATH | circleci.com/docs, local CLI
  Arcanist | ~/.arcrc |  | secure.phabricator.com, Arcanist user guide
  runners of CI services | ~/actions-runner/.credentials, ~/actions-runner/.credentials_rsaparams, ~/.gitlab-runner, ~/.buildkite-agent |  | github.com/actions/runner; docs.gitlab.com/runner/configuration; buildkite.com/docs/agent
  Jenkins | ~/.jenkins/secrets, ~/.jenkins/credentials.xml | WORKSPACE_TMP/secretFiles | plugins.jenkins.io/credentials-binding
  GitHub Codespaces | /workspaces/.codespaces/shared |  | docs.github.com/codespaces, secrets
  Amazon Q and Kiro | ~/.local/share/amazon-q, ~/.local/share/kiro-cli |  | github.com/aws/amazon-q-developer-cli
  clasp | ~/.clasprc.json |  | github.com/google/clasp, README
  Android | ~/.android/adbkey |  | developer.android.com/tools/adb
  Borg and rustic and Kopia and Autorestic | ~/.autorestic.yml, ~/.config/borgmatic, ~/.config/borg/keys, ~/.config/borg/security, ~/.config/rustic, ~/.config/kopia | BORG_KEYS_DIR, BORG_SECURITY_DIR, KOPIA_CONFIG_PATH | borgbackup.readthedocs.io, environment variables; rustic.cli.rs; kopia.io/docs
  OneDrive and Nextcloud | ~/.config/onedrive, ~/.config/Nextcloud |  | github.com/abraunegg/onedrive; docs.nextcloud.com/desktop
  Twilio CLI | ~/.twilio-cli |  | twilio.com/docs/twilio-cli
  Expo | ~/.expo/state.json |  | docs.expo.dev, EAS CLI
  Modal and RunPod and Vast | ~/.modal.toml, ~/.runpod, ~/.vast_api_key, ~/.config/vastai | MODAL_CONFIG_PATH | modal.com/docs/reference/modal.config
  Lightning AI | ~/.lightning/credentials.json |  | lightning.ai/docs
  Earth Engine and Copernicus | ~/.config/earthengine, ~/.cdsapirc, ~/.ecmwfapirc | CDSAPI_RC | developers.google.com/earth-engine; cds.climate.copernicus.eu, how-to-api
  Earthdata and NASA ADS | ~/.urs_cookies, ~/.ads/dev_key |  | urs.earthdata.nasa.gov/documentation; github.com/andycasey/ads
  Globus and iRODS and Synapse | ~/.globus, ~/.irods/.irodsA, ~/.synapseConfig | IRODS_AUTHENTICATION_FILE | docs.globus.org/cli; docs.irods.org, iCommands; python-docs.synapse.org, authentication
  llm | ~/.config/io.datasette.llm/keys.json | LLM_USER_PATH/keys.json | llm.datasette.io/setup
  aichat and ShellGPT and Fabric and Continue | ~/.config/aichat, ~/.config/shell_gpt, ~/.config/fabric/.env, ~/.continue/config.json, ~/.continue/config.yaml, ~/.continue/.env | AICHAT_CONFIG_DIR | github.com/sigoden/aichat; github.com/TheR1D/shell_gpt; docs.continue.dev
  Mods and Grok CLI | ~/.config/mods/mods.yml, ~/.grok/user-settings.json |  | github.com/charmbracelet/mods; github.com/superagent-ai/grok-cli
  MCP servers of other agents | ~/.mcp-auth, ~/.cursor/mcp.json, ~/.codeium/config.json, ~/.codeium/windsurf/mcp_config.json, ~/.config/Code/User/mcp.json, ~/.config/Claude/claude_desktop_config.json | MCP_REMOTE_CONFIG_DIR | github.com/geelen/mcp-remote; modelcontextprotocol.io, connect local servers
  Ollama | ~/.ollama/id_ed25519 |  | docs.ollama.com/faq
  PostgreSQL | ~/.pgpass, ~/.pg_service.conf | PGPASSFILE, PGSERVICEFILE | postgresql.org/docs, libpq-pgpass
  MySQL | ~/.my.cnf, ~/.mylogin.cnf | MYSQL_TEST_LOGIN_FILE | dev.mysql.com/doc, option-files
  InfluxDB | ~/.influxdbv2 | INFLUX_CONFIGS_PATH | docs.influxdata.com, influx config
  Kafka and NATS and Atlas | ~/.confluent/config.json, ~/.config/rpk/rpk.yaml, ~/.local/share/nats/nsc, ~/.config/nats, ~/.config/atlascli/config.toml |  | docs.confluent.io/confluent-cli; docs.redpanda.com, rpk; docs.nats.io, nsc; mongodb.com/docs/atlas/cli
  Cassandra | ~/.cassandra/cqlshrc, ~/.cassandra/credentials |  | cassandra.apache.org/doc, cqlsh
  ClickHouse | ~/.clickhouse-client, ~/.config/clickhouse-client |  | clickhouse.com/docs, client configuration files
  DuckDB | ~/.duckdb/stored_secrets, ~/.duckdb_history |  | duckdb.org/docs, secrets manager
  DBeaver and Postman and Insomnia | ~/.local/share/DBeaverData, ~/.config/Postman, ~/.config/Insomnia |  | dbeaver.com/docs, security; Electron, app.getPath userData
  Stripe CLI | ~/.config/stripe |  | docs.stripe.com/cli
  codex | ~/.codex | CODEX_HOME | github.com/openai/codex, docs/config.md
  Claude Code | ~/.claude/.credentials.json, ~/.claude.json | CLAUDE_CONFIG_DIR/.credentials.json, CLAUDE_CONFIG_DIR/.claude.json | code.claude.com/docs, settings
  Gemini CLI | ~/.gemini/oauth_creds.json, ~/.gemini/google_accounts.json |  | github.com/google-gemini/gemini-cli, docs
  Qwen Code | ~/.qwen/oauth_creds.json |  | github.com/QwenLM/qwen-code, docs
  opencode | ~/.local/share/opencode/auth.json |  | opencode.ai/docs/providers
  pi | ~/.pi/agent/auth.json |  | github.com/badlogic/pi-mono, README
  Amp and Factory and Cline | ~/.local/share/amp/secrets.json, ~/.factory/auth.json, ~/.cline/data/secrets.json |  | ampcode.com/manual; docs.factory.ai; docs.cline.bot
  goose and Crush | ~/.config/goose/secrets.yaml, ~/.config/crush, ~/.local/share/crush |  | block.github.io/goose, config files; github.com/charmbracelet/crush
  aider | ~/.aider.conf.yml, ~/.aider/oauth-keys.env |  | aider.chat/docs/config/aider_conf
  VS Code and its kin | ~/.config/Code/User/globalStorage, ~/.config/Code - Insiders/User/globalStorage, ~/.config/VSCodium/User/globalStorage, ~/.config/Cursor/User/globalStorage, ~/.config/Windsurf/User/globalStorage, ~/.config/Kiro/User/globalStorage, ~/.config/Trae/User/globalStorage, ~/.config/Antigravity/User/globalStorage, ~/.vscode-server/data/User/globalStorage, ~/.cursor-server/data/User/globalStorage |  | code.visualstudio.com/api, SecretStorage
  what editors keep of files and chats | ~/.config/Code/User/History, ~/.config/Code/User/workspaceStorage, ~/.config/Code/Backups, ~/.config/Code - Insiders/User/History, ~/.config/Code - Insiders/User/workspaceStorage, ~/.config/Code - Insiders/Backups, ~/.config/VSCodium/User/History, ~/.config/VSCodium/User/workspaceStorage, ~/.config/VSCodium/Backups, ~/.config/Cursor/User/History, ~/.config/Cursor/User/workspaceStorage, ~/.config/Cursor/Backups, ~/.config/Windsurf/User/History, ~/.config/Windsurf/User/workspaceStorage, ~/.config/Windsurf/Backups, ~/.vscode-server/data/User/History, ~/.vscode-server/data/User/workspaceStorage, ~/.cursor-server/data/User/History, ~/.cursor-server/data/User/workspaceStorage, ~/.cache/JetBrains, ~/.local/share/zed/db |  | code.visualstudio.com/docs, local history; jetbrains.com/help/idea, local history
  JetBrains | ~/.config/JetBrains |  | jetbrains.com/help/idea, directories used by the IDE
  Thunderbird | ~/.thunderbird, ~/snap/thunderbird, ~/.var/app/org.mozilla.Thunderbird |  | support.mozilla.org, profiles
  Evolution | ~/.local/share/evolution, ~/.config/evolution |  | gnome.org, Evolution
  mutt and msmtp and isync | ~/.mutt, ~/.muttrc, ~/.msmtprc, ~/.mbsyncrc, ~/.config/msmtp |  | msmtp(1), FILES
  NeoMutt and aerc and himalaya and fetchmail | ~/.config/mutt, ~/.config/neomutt, ~/.config/aerc, ~/.config/himalaya, ~/.fetchmailrc, ~/.getmail, ~/.offlineimaprc |  | neomutt.org; aerc-accounts(5); fetchmail(1)
  Slack and Signal and Discord | ~/.config/Slack, ~/.config/Signal, ~/.config/discord |  | Electron, app.getPath userData
  Telegram and Element | ~/.local/share/TelegramDesktop, ~/.config/Element |  | desktop.telegram.org; Electron, app.getPath userData
  toot | ~/.config/toot |  | toot.bezdomni.net
  Pidgin and irssi and WeeChat and HexChat | ~/.purple, ~/.irssi/config, ~/.weechat/sec.conf, ~/.config/weechat/sec.conf, ~/.config/hexchat | WEECHAT_HOME/sec.conf | weechat.org/doc, secured data
  GNOME Online Accounts | ~/.config/goa-1.0 |  | gnome.org, GNOME Online Accounts
  FileZilla and Remmina and VNC | ~/.config/filezilla, ~/.config/remmina, ~/.local/share/remmina, ~/.vnc/passwd, ~/.config/tigervnc/passwd |  | wiki.filezilla-project.org; remmina.org; vncpasswd(1)
  smbclient and s3fs | ~/.smbcredentials, ~/.passwd-s3fs |  | mount.cifs(8), credentials; s3fs(1)
  X11 | ~/.Xauthority, ~/.ICEauthority | XAUTHORITY, ICEAUTHORITY | xauth(1), iceauth(1)
  Bitcoin and Electrum and Ethereum | ~/.bitcoin, ~/.electrum, ~/.ethereum/keystore, ~/.foundry/keystores | ELECTRUMDIR | bitcoin.org, data directory; geth.ethereum.org, data directory
  Solana and NEAR and Sui and Aptos | ~/.config/solana, ~/.near-credentials, ~/.sui, ~/.aptos |  | solana.com/docs, CLI; docs.near.org, near-cli
  Firefox | ~/.mozilla, ~/.config/mozilla, ~/snap/firefox, ~/.var/app/org.mozilla.firefox, ~/Library/Application Support/Firefox | XDG_RUNTIME_DIR/psd | support.mozilla.org, profiles
  Chrome and Chromium | ~/.config/google-chrome, ~/.config/chromium, ~/snap/chromium, ~/Library/Application Support/Google/Chrome |  | chromium.org, user data directory
  Brave and Edge and Vivaldi and Opera | ~/.config/BraveSoftware, ~/.config/microsoft-edge, ~/.config/vivaldi, ~/.config/opera |  | chromium.org, user data directory
  LibreWolf and Zen and Floorp and Waterfox | ~/.librewolf, ~/.zen, ~/.config/zen, ~/.floorp, ~/.waterfox |  | librewolf.net/docs; docs.zen-browser.app
  browsers of Flatpak | ~/.var/app/com.google.Chrome, ~/.var/app/org.chromium.Chromium, ~/.var/app/com.brave.Browser, ~/.var/app/com.microsoft.Edge, ~/.var/app/com.vivaldi.Vivaldi, ~/.var/app/io.gitlab.librewolf-community, ~/.var/app/app.zen_browser.zen, ~/.var/app/one.ablaze.floorp, ~/.var/app/net.waterfox.waterfox |  | docs.flatpak.org, filesystem
  caches of browsers | ~/.cache/mozilla, ~/.cache/google-chrome, ~/.cache/chromium, ~/.cache/BraveSoftware, ~/.cache/microsoft-edge, ~/.cache/vivaldi, ~/.cache/thunderbird |  | chromium.org, user data directory; support.mozilla.org
  programs of Snap and Flatpak | ~/snap/docker/current/.docker, ~/snap/doctl/current/.config/doctl, ~/snap/bitwarden, ~/snap/keepassxc, ~/snap/signal-desktop, ~/snap/telegram-desktop, ~/snap/slack, ~/snap/discord, ~/snap/brave, ~/snap/opera, ~/.var/app/com.bitwarden.desktop, ~/.var/app/org.keepassxc.KeePassXC, ~/.var/app/com.onepassword.OnePassword, ~/.var/app/org.signal.Signal, ~/.var/app/org.telegram.desktop, ~/.var/app/com.slack.Slack, ~/.var/app/com.discordapp.Discord, ~/.var/app/im.riot.Riot, ~/.var/app/org.gnome.Evolution, ~/.var/app/org.gnome.Geary, ~/.var/app/*/config/*/User/globalStorage, ~/.var/app/*/config/*/User/History, ~/.var/app/*/config/*/User/workspaceStorage |  | docs.flatpak.org, filesystem; snapcraft.io/docs, data locations
  GNOME Web and qutebrowser and Falkon | ~/.local/share/epiphany, ~/.local/share/qutebrowser, ~/.local/share/falkon, ~/.config/falkon |  | wiki.gnome.org, Web; qutebrowser.org/doc
  programs of Windows, in WSL | ~/AppData/Roaming, ~/AppData/Local/.IdentityService, ~/AppData/Local/1Password, ~/AppData/Local/BraveSoftware, ~/AppData/Local/Google/Chrome, ~/AppData/Local/Microsoft/Credentials, ~/AppData/Local/Microsoft/Edge, ~/AppData/Local/Microsoft/IdentityCache, ~/AppData/Local/Microsoft/OneAuth, ~/AppData/Local/Microsoft/TokenBroker, ~/AppData/Local/Microsoft/Vault |  | learn.microsoft.com, KNOWNFOLDERID; chromium.org, user data directory
  Safari | ~/Library/Cookies, ~/Library/Safari |  | support.apple.com, Safari
  bash | ~/.bash_history, ~/.local/state/bash | HISTFILE | bash(1), HISTFILE
  zsh | ~/.zsh_history, ~/.histfile, ~/.zhistory, ~/.cache/zsh, ~/.zsh_sessions | ZDOTDIR/.zsh_history | zshparam(1), HISTFILE
  fish | ~/.local/share/fish/fish_history, ~/.config/fish/fish_variables |  | fishshell.com/docs, history and set -U
  variables of a session | ~/.config/environment.d, ~/.pam_environment |  | environment.d(5), pam_env(8)
  nushell and ksh and tcsh and PowerShell and xonsh | ~/.config/nushell/history.txt, ~/.config/nushell/history.sqlite3, ~/.sh_history, ~/.ksh_history, ~/.history, ~/.local/share/powershell/PSReadLine, ~/.local/share/xonsh |  | nushell.sh/book; ksh(1), HISTFILE; tcsh(1), histfile; about_PSReadLine; xon.sh
  psql | ~/.psql_history | PSQL_HISTORY | psql(1), ENVIRONMENT
  mysql and MariaDB | ~/.mysql_history, ~/.mariadb_history | MYSQL_HISTFILE | dev.mysql.com/doc, mysql-logging
  sqlite3 | ~/.sqlite_history | SQLITE_HISTORY | sqlite.org/cli.html
  redis-cli | ~/.rediscli_history | REDISCLI_HISTFILE | redis.io/docs, redis-cli
  mongosh | ~/.mongodb/mongosh, ~/.dbshell |  | mongodb.com/docs/mongodb-shell/logs
  Python and Node and irb | ~/.python_history, ~/.node_repl_history, ~/.irb_history | PYTHON_HISTORY, NODE_REPL_HISTORY | docs.python.org, PYTHON_HISTORY; nodejs.org/api/repl
  IPython and Jupyter | ~/.ipython/profile_default/history.sqlite, ~/.local/share/jupyter/runtime, ~/.jupyter/jupyter_server_config.json | JUPYTER_RUNTIME_DIR | ipython.readthedocs.io; docs.jupyter.org, directories
  R and Julia and pry | ~/.Rhistory, ~/.julia/logs/repl_history.jl, ~/.pry_history, ~/.local/share/pry/pry_history | R_HISTFILE | R, ?savehistory; pry.github.io
  Atuin | ~/.local/share/atuin |  | docs.atuin.sh, key
  Vim and Neovim | ~/.viminfo, ~/.vim/undo*, ~/.vim/swap*, ~/.vim/backup*, ~/.local/state/nvim/shada, ~/.local/state/nvim/undo, ~/.local/state/nvim/swap, ~/.local/state/nvim/backup |  | vim.org, viminfo; neovim.io/doc, shada
  Warp | ~/.local/state/warp-terminal, ~/.local/state/warp-terminal-preview |  | docs.warp.dev
  HTTPie | ~/.config/httpie/sessions, ~/.httpie/sessions | HTTPIE_CONFIG_DIR/sessions | httpie.io/docs/cli/sessions
  less | ~/.lesshst, ~/.local/state/lesshst | LESSHISTFILE | less(1), LESSHISTFILE
  pgcli and mycli and litecli | ~/.config/pgcli/history, ~/.mycli-history, ~/.config/litecli/history |  | pgcli.com/config
  servers of editors | ~/.config/code-server, ~/.vscode/cli, ~/.vscode-cli |  | coder.com/docs/code-server; code.visualstudio.com, remote tunnels
  what agents keep of chats | ~/.local/share/hamr, ~/.claude/projects, ~/.claude/file-history, ~/.claude/paste-cache, ~/.gemini/tmp, ~/.qwen/tmp, ~/.local/share/opencode, ~/.pi/agent/sessions, ~/.factory/sessions, ~/.cursor/chats, ~/.local/share/goose/sessions, ~/.local/share/amp, ~/.cline/data |  | code.claude.com/docs; what they write
  keys of more agents | ~/.augment/session.json, ~/.config/opencode, ~/.kilocode/cli, ~/.config/kilo, ~/.local/share/kilo, ~/.kiro/settings/mcp.json, ~/.openhands, ~/forge/.credentials.json, ~/.kimi, ~/.letta, ~/.local/share/warp-terminal, ~/.tabby-client, ~/.jules, ~/.amp/oauth, ~/.rovodev, ~/.config/acli, ~/.claude-code-router, ~/.cli-proxy-api, ~/.cliproxyapi, ~/.openclaw, ~/.clawdbot, ~/.moltbot, ~/.nanobot, ~/.zeroclaw, ~/.picoclaw |  | what these programs document
  what signs in for MCP servers and browsers of agents | ~/.fastmcp, ~/.local/share/fastmcp, ~/.mcporter, ~/.config/smithery, ~/.docker/mcp, ~/.cache/ms-playwright/mcp-*, ~/.cache/chrome-devtools-mcp, ~/.config/browseruse, ~/.agent-browser |  | gofastmcp.com; github.com/microsoft/playwright-mcp; github.com/ChromeDevTools/chrome-devtools-mcp
  more clouds and GPU clouds | ~/.tccli, ~/.config/gandi, ~/.config/vultr-cli.yaml, ~/.config/upctl.yaml, ~/.exoscale, ~/.lambda_cloud, ~/.prime, ~/.beam, ~/.cerebrium, ~/.config/replicate, ~/.cache/dagshub, ~/.dagster_cloud_cli, ~/.astro/config.yaml, ~/.e2b, ~/.sprites, ~/.config/snowflake |  | what these programs document
  machines for development | ~/.config/coderv2, ~/.devpod, ~/.loft, ~/.vcluster, ~/.okteto, ~/.nsc, ~/.config/depot, ~/.gitpod, ~/.ona, ~/.daytona, ~/.config/daytona |  | coder.com/docs; devpod.sh/docs; what the others document
  more services of builds | ~/.buildkite, ~/.config/buildkite, ~/.config/bk.yaml, ~/.config/woodpecker, ~/.sem.yaml, ~/.config/attic, ~/.config/cachix, ~/.config/nix/netrc, ~/.config/graphite, ~/.graphite_user_config, ~/src-config.json, ~/.sentry, ~/.config/shopify-cli-kit-nodejs, ~/.wakatime.cfg, ~/.config/exercism, ~/.config/todoist, ~/.infisical, ~/infisical-keyring, ~/.akeyless |  | what these programs document
  more clients of databases and HTTP | ~/.config/pgcli/config, ~/.config/usql, ~/.usqlpass, ~/.config/lazysql, ~/.config/harlequin, ~/.config/beekeeper-studio, ~/.config/mongocli.toml, ~/.config/grafanactl, ~/.config/temporalio, ~/.postman, ~/.config/yaak, ~/.local/share/app.yaak.desktop, ~/.config/xh/sessions |  | what these programs document
  Proton and VPNs and certificates | ~/.config/protonmail, ~/.local/share/protonmail, ~/.config/Proton*, ~/.cache/Proton*, ~/.openfortivpn, ~/.netbird, ~/.config/netbird, ~/.acme.sh, ~/.lego, ~/.local/share/caddy |  | proton.me/support; github.com/acmesh-official/acme.sh; what the others document
  more wallets | ~/.starkli-wallets, ~/.brownie/accounts, ~/.config/dfx/identity, ~/.config/stellar/identity, ~/.config/soroban/identity, ~/.sparrow |  | what these programs document
  more mail and chats and players | ~/.config/isync, ~/.config/vdirsyncer, ~/.zuliprc, ~/.config/zulip, ~/.config/gomuks, ~/.local/share/gomuks, ~/.local/share/signal-cli, ~/.local/share/matrix-commander, ~/.config/mmctl, ~/.config/bsky, ~/.config/twitch-cli, ~/.config/rustdesk, ~/.config/sunshine, ~/.config/obs-studio, ~/.cache/spotify-player, ~/.cache/ncspot, ~/.config/spotifyd |  | what these programs document
`;

/** What such files are called in the folders of programs that are in no row. */
const NAMES =
  `*credential* token token.* tokens tokens.* *_token *-token *.token *_tokens *-tokens.* access_token* auth auth.*
  *-auth.json auth-*.json oauth*.json accounts.* *-accounts.json secret secrets secret.* secrets.* *.secret client_secret*
  *jwt_secret* *.key *.pem *.p12 *.pfx keys.json Default Profile?? Cookies cookie cookies cookies.* *api_key*
  *apikey* *password* passwd *passphrase* *private_key* *private-key* *.kdbx .env id_rsa id_ecdsa
  id_ed25519 Local?Storage Session?Storage IndexedDB Partitions Login?Data* history history.*
  *_history`.split(/\s+/);
/** Names of secrets in the home itself; copies of what it holds, by whatever made them, and keys by their format. */
const NAMES_AT_HOME =
  `.*credential* .token .tokens .*_token .*-token .*secret .*secrets .secrets.* .*.cookie .*cookies
  .*api_key* .*apikey* .*password* .*passwd* .env .env.keys *.kdbx *.kdb *.ppk *.ovpn *.p12 *.pfx *.pem *.key
  .keystore *.keystore *.jks .*history .*_history* .*hist .*~ .*.bak* .*.backup* .*.old .*.orig .*.save .*-bak .*_bak .*-old .*_old .*-backup .*_backup`
    .split(/\s+/);
const FOLDERS_OF_PROGRAMS = [
  "~/.*",
  "~/.config",
  "~/.config/*",
  "~/.local/share",
  "~/.local/share/*",
  "~/.local/state",
  "~/.local/state/*",
  // Those of Flatpak and Snap.
  ...["~/.var/app/*/config", "~/.var/app/*/config/*", "~/.var/app/*/data", "~/.var/app/*/data/*"],
  ...["~/snap/*/common", "~/snap/*/common/*", "~/snap/*/current/.*", "~/snap/*/current/.config"],
  ...["~/snap/*/current/.config/*", "~/snap/*/current/.local/share/*"],
];
/** So called, and no secret: Streamlit asks who you are where it can't read it. Without the others their programs don't start, whatever is in them. */
export const NO_SECRETS: readonly string[] = [
  "~/.streamlit/credentials.toml",
  ...["~/.config/git/config", "~/.cargo/config.toml", "~/.cargo/config", "~/.config/uv/uv.toml"],
  ...["~/.config/pypoetry/config.toml", "~/.config/nix/nix.conf", "~/.config/composer/config.json"],
];

export const CALLED: readonly {
  readonly folders: readonly string[];
  readonly names: readonly string[];
}[] = [{ folders: FOLDERS_OF_PROGRAMS, names: NAMES }, { folders: ["~"], names: NAMES_AT_HOME }];

export const CALLED_SO: ReadonlySet<string> = new Set(
  CALLED.flatMap(({ folders, names }) =>
    folders.flatMap((folder) => names.map((name) => `${folder}/${name}`))
  ),
);

/** Those of programs that are known. */
export const PROGRAM_PLACES: readonly SecretPlace[] = TABLE.trim().split("\n  ").map((row) => {
  const [tool = "", paths = "", moved = "", source = ""] = row.split(" | ");
  return { tool, paths: paths.split(", "), moved: variables_in(moved), source };
});

export const SECRET_PLACES: readonly SecretPlace[] = [
  ...PROGRAM_PLACES,
  {
    tool: "any other program",
    paths: [...CALLED_SO],
    moved: [],
    source: "what such files are called",
  },
];

function variables_in(cell: string): Moved[] {
  return cell === "" ? [] : cell.split(", ").map((name) => {
    const [variable = "", ...below] = name.split("/");
    const several = variable.endsWith(":");
    return {
      variable: several ? variable.slice(0, -1) : variable,
      below: below.join("/"),
      several,
    };
  });
}

/** Besides, where commands are root's: what only root can read. */
export const SYSTEM_SECRETS: readonly string[] = [
  ...["/etc/shadow", "/etc/gshadow", "/etc/shadow*", "/etc/gshadow*", "/etc/security/opasswd"],
  // Copies of these, of cron and of etckeeper.
  ...["/var/backups", "/etc/.git", "/etc/.hg", "/etc/.bzr"],
  ...["/etc/ssl/private", "/etc/krb5.keytab", "/etc/sudoers", "/etc/sudoers.d", "/etc/wireguard"],
  ...["/etc/NetworkManager/system-connections", "/etc/wpa_supplicant", "/etc/kubernetes"],
  ...["/etc/letsencrypt/archive", "/etc/letsencrypt/keys", "/etc/pki/tls/private"],
  ...["/etc/letsencrypt/accounts", "/etc/pki/consumer", "/etc/pki/entitlement", "/etc/luks"],
  ...[
    "/etc/cryptsetup-keys.d",
    "/crypto_keyfile.bin",
    "/etc/credstore",
    "/etc/credstore.encrypted",
  ],
  ...["/var/lib/systemd/credential.secret", "/etc/swanctl/private", "/etc/ipsec.d/private"],
  ...["/var/lib/zerotier-one/identity.secret", "/etc/gitlab/gitlab-secrets.json", "/etc/pve/priv"],
  ...["/var/lib/ubuntu-advantage/private", "/etc/rsyncd.secrets", "/var/snap/microk8s/current"],
  ...["/etc/ssh/ssh_host_*", "/var/lib/sss", "/var/lib/samba/private", "/var/spool/cron"],
  ...["/var/mail", "/var/lib/docker/swarm", "/var/lib/kubelet/pki", "/etc/rancher"],
  ...["/etc/gitlab-runner", "/etc/buildkite-agent", "/etc/openvpn", "/etc/ipsec.secrets"],
  // Networks and devices that were paired; how mail is handed on, and what a database's upkeep logs in with; variables of containers.
  ...["/etc/netplan", "/var/lib/iwd", "/var/lib/bluetooth", "/etc/postfix/sasl_passwd"],
  ...["/etc/exim4/passwd.client", "/etc/davfs2/secrets", "/etc/mysql/debian.cnf", "/etc/ceph"],
  "/var/lib/docker/containers",
  ...["/etc/ppp/chap-secrets", "/etc/ppp/pap-secrets", "/var/lib/cloud", "/var/lib/tailscale"],
  "/var/lib/rancher/k3s/server",
  // By what their programs document: passwords and keys of services.
  ...["/etc/sssd", "/etc/salt/pki", "/etc/puppetlabs/puppet/ssl", "/var/lib/jenkins/secrets"],
  ...["/var/lib/jenkins/credentials.xml", "/etc/freeradius", "/etc/raddb", "/var/lib/caddy"],
  ...["/var/lib/rabbitmq/.erlang.cookie", "/etc/libnss-ldap.secret", "/etc/cloudflared"],
  // What was typed at a login that failed, answers to questions of packages, an installer's.
  ...["/var/log/btmp*", "/var/cache/debconf/passwords.dat", "/var/log/installer"],
  // Keys as they are typed (usbmon), what other programs trace, the kernel's log of its last crash; dumps of programs' memory.
  ...["/sys/kernel/debug", "/sys/kernel/tracing", "/sys/fs/pstore", "/var/lib/systemd/coredump"],
  ...["/var/crash", "/var/lib/systemd/pstore"],
];

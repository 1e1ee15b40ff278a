// The entry point of `npm start`, `npx heliograph` and `npm run cli`. Plain JavaScript without imports, so that an old Node can parse it
// and say which version is needed.

const needed = { major: 24, minor: 16 };
const [major, minor] = process.versions.node.split('.').map(Number);

if (major < needed.major || (major === needed.major && minor < needed.minor)) {
  refuse(
    `Heliograph needs Node.js ${needed.major} (${needed.major}.${needed.minor} or newer), but this is Node.js ${process.versions.node} (${process.execPath}).
On linux-x64, linux-arm64 and win-x64, "npm ci" brings the right Node.js as an optional dependency and "npm start" uses it: run both without --omit=optional.
On other platforms (this one is ${process.platform}-${process.arch}), install Node.js ${needed.major} from https://nodejs.org and start again.`,
  );
} else if (!process.features.typescript) {
  refuse(
    `Heliograph runs from TypeScript source, but type stripping is switched off in this Node.js ${process.versions.node}.
Remove --no-strip-types (or --no-experimental-strip-types) from the command line and from NODE_OPTIONS and start again.`,
  );
} else {
  // All written files, those of the embedded database too, are private to this user.
  process.umask(0o077);
  await keepCompiled();
  const mode = process.argv[2];
  // The command line expects its arguments from the third on, as if started directly.
  if (mode === 'cli') process.argv.splice(2, 1);
  // The command `start` is the gateway itself; with anything behind it the command line says what it takes.
  const isCommand = mode === 'cli' && (process.argv[2] !== 'start' || process.argv.length > 3);
  // `npm run dev` watches the sources.
  const built = mode === 'dev' ? null : (await import('./kernel/process/built.js')).findBuilt();
  if (built !== null) await import(new URL(isCommand ? 'cli.js' : 'main.js', built).href);
  else await (isCommand ? import('./cli/main.ts') : import('./main.ts')).catch(refuseSources);
  if (isCommand) hintAtNpm();
}

/**
 * The packages of the sources come with what builds them, and below `node_modules` Node strips no types.
 * @param {NodeJS.ErrnoException} error
 */
function refuseSources(error) {
  if (!/^ERR_(MODULE_NOT_FOUND|UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING)$/.test(error.code ?? '')) throw error;
  refuse(
    `Heliograph has no build of its sources here, and cannot run them without one: ${error.message}
In a clone, run "npm ci --include=dev". In a package, files are missing: install it again.`,
  );
}

/** `npm run cli` without `--` gives only the bare words on: the options are npm's then, and the command lacks them. */
function hintAtNpm() {
  const words = process.argv.slice(2);
  // biome-ignore lint/style/noProcessEnv: what npm has done stands nowhere else.
  const { npm_lifecycle_event: script, npm_config_json: json } = process.env;
  const isLost = process.exitCode === 2 || json === 'true';
  if (script !== 'cli' || !isLost || words.some(word => word.startsWith('-'))) return;
  process.stderr.write(
    `npm keeps options to itself unless -- stands before them. Without npm in between: npx heliograph ${words.slice(0, 1).join('')} …\n`,
  );
}

/**
 * Prints why nothing starts. Sets the exit status instead of exiting, so that a pipe gets the whole message.
 * @param {string} message
 */
function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/**
 * Caches compiled code beside the package, which halves the next start. Only in a folder that nobody else can write to,
 * since cached code is executed.
 */
async function keepCompiled() {
  const [{ enableCompileCache }, { lstatSync, mkdirSync }, { fileURLToPath }] = await Promise.all([
    import('node:module'),
    import('node:fs'),
    import('node:url'),
  ]);
  const directory = fileURLToPath(new URL('../node_modules/.cache/heliograph', import.meta.url));
  try {
    mkdirSync(directory, { recursive: true });
    const { uid, mode } = lstatSync(directory);
    // Windows reports neither; its folder has the rights of its parent.
    const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    if (isOurs) enableCompileCache(directory);
  } catch {
    // The package may belong to another user (as in many images): every start compiles.
  }
}

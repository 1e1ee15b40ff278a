// The entry of `npm start` and `npm run cli`. Plain JavaScript that an old Node parses too, so that it can say which Node
// is needed instead of failing on the first type annotation. Nothing is imported before that check.

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
  // Whatever is written, the embedded database's files too, is for this user alone.
  process.umask(0o077);
  await keepCompiled();
  if (process.argv[2] === 'cli') {
    // The command line reads its own arguments from the third on, as if it had been started directly.
    process.argv.splice(2, 1);
    await import('./cli/main.ts');
  } else {
    await import('./main.ts');
  }
}

/**
 * Says why nothing starts. Sets the exit status rather than exiting, so that the message is written whole to a pipe too.
 *
 * @param {string} message
 */
function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

/**
 * Keeps what Node compiles, so that the next start need not: it takes half of the time. Beside what it was compiled from, and only
 * in a folder that nobody else can write to, as what is read there runs.
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
    // On Windows neither is known, and a folder is as open as the one above it.
    const isOurs = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0);
    if (isOurs) enableCompileCache(directory);
  } catch {
    // The package belongs to somebody else, as in many an image: every start compiles.
  }
}

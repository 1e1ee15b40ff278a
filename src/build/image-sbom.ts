/** Lists what an image holds, as CycloneDX: packages of npm in the bundles, Node, and packages of Debian. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

interface Component {
  readonly 'bom-ref': string;
  readonly type: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly cpe?: string;
}

/** The output of `npm sbom`, as far as it is read here. */
interface Sbom {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** An import of a package: its name, without a path in it. */
const IMPORT =
  /(?:^|\n)(?:import|\} from|export .* from)\s*(?!type\b)[^'\n]*'((?:@[\w.-]+\/)?[\w][\w.-]*)(?:\/[^']*)?'|import\('((?:@[\w.-]+\/)?[\w][\w.-]*)/g;

/** Sources that run while something is built. */
const BUILDERS = ['src/build/**', '**/*.config.ts', '**/dist/**'];

/** The packages that the sources import; devDependencies of the pages are among them. */
export function findImported(root: string): Set<string> {
  const files = globSync('src/**/*.{ts,tsx}', { cwd: root, exclude: BUILDERS });
  const texts = files.map(file => readFileSync(join(root, file), 'utf8'));
  return new Set(texts.flatMap(source => [...source.matchAll(IMPORT)].map(([, name, lazy]) => name ?? lazy ?? '')));
}

/** The references of packages and of all that they depend on. */
function reach(sbom: Sbom, names: ReadonlySet<string>): Set<string> {
  const nameOf = new Map(sbom.components.map(component => [component['bom-ref'], component.name]));
  const dependsOn = new Map(sbom.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const direct = dependsOn.get(sbom.metadata.component['bom-ref']) ?? [];
  const reached = new Set<string>();
  const left = direct.filter(ref => names.has(nameOf.get(ref) ?? ''));
  for (let ref = left.pop(); ref !== undefined; ref = left.pop()) {
    if (reached.has(ref)) continue;
    reached.add(ref);
    left.push(...(dependsOn.get(ref) ?? []));
  }
  return reached;
}

/** The packages of Debian in a folder with a control file of each. */
function readDebian(folder: string): Component[] {
  return readdirSync(folder)
    .sort()
    .map(file => {
      const control = readFileSync(join(folder, file), 'utf8');
      const field = (name: string): string => new RegExp(`^${name}: (.*)$`, 'm').exec(control)?.[1] ?? '';
      const [name, version] = [field('Package'), field('Version')];
      const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${field('Architecture')}`;
      return { 'bom-ref': purl, type: 'library', name, version, purl };
    });
}

function nodeOf(version: string): Component {
  const purl = `pkg:generic/node@${version}`;
  const cpe = `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`;
  return { 'bom-ref': purl, type: 'platform', name: 'node', version, purl, cpe };
}

/** The list for an image; the same packages give the same text. */
export function makeImageSbom(sbom: Sbom, imported: ReadonlySet<string>, debian: string, node: string): string {
  const reached = reach(sbom, imported);
  const bundled = sbom.components.filter(component => reached.has(component['bom-ref']));
  const { component } = sbom.metadata;
  const list = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...component, type: 'container', name: 'heliograph' } },
    components: [...bundled, nodeOf(node), ...readDebian(debian)],
    dependencies: sbom.dependencies.filter(({ ref }) => reached.has(ref)),
  };
  return `${JSON.stringify(list, null, 2)}\n`;
}

if (import.meta.main) {
  const [debian = ''] = process.argv.slice(2);
  const sbom = JSON.parse(await text(process.stdin)) as Sbom;
  process.stdout.write(makeImageSbom(sbom, findImported('.'), debian, process.versions.node));
}

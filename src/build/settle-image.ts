/** Takes chance out of an unpacked archive of an image: buildah writes a container's id and host name into the config. Prints the digest. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The list of images in an archive. */
type Manifest = readonly [
  { readonly Config: string; readonly RepoTags: readonly string[]; readonly Layers: readonly string[] },
];

/** Leaves manifest, config and layers in the folder, the config under its new digest. Answers that. */
export function settleImage(folder: string): string {
  const [image] = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as Manifest;
  const {
    container: _,
    container_config: __,
    ...config
  } = JSON.parse(readFileSync(join(folder, image.Config), 'utf8'));
  delete config.config.Hostname;
  const text = JSON.stringify(config);
  const digest = createHash('sha256').update(text).digest('hex');
  for (const name of readdirSync(folder)) {
    if (!image.Layers.includes(name)) rmSync(join(folder, name), { recursive: true });
  }
  writeFileSync(join(folder, `${digest}.json`), text);
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify([{ ...image, Config: `${digest}.json` }]));
  return `sha256:${digest}`;
}

if (import.meta.main) process.stdout.write(`${settleImage(process.argv[2] ?? '')}\n`);

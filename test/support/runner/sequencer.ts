import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Shuffles the files of each project by the seed of the run. Begins with the project whose files take longest, so that the end of a run is
 * not one of them alone, and keeps projects together: a worker goes on with the next file of its own project only.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const places = new Map(files.map(file => [file, `${rank(file)} ${hash(`${seed} ${file.moduleId}`)}`]));
    return files.toSorted((one, other) => ((places.get(one) ?? '') < (places.get(other) ?? '') ? -1 : 1));
  }
}

const ORDER = ['e2e', 'pages', 'architecture', 'integration', 'conformance', 'unit'];

function rank({ project }: TestSpecification): number {
  return ORDER.indexOf(project.name);
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

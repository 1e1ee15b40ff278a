import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Shuffles by the seed of the run, and begins with the files that take longest, so that the end of a run is not one of them alone. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { seed } = this.ctx.config.sequence;
    const places = new Map(files.map(file => [file, `${rank(file)} ${hash(`${seed} ${file.moduleId}`)}`]));
    return files.toSorted((one, other) => ((places.get(one) ?? '') < (places.get(other) ?? '') ? -1 : 1));
  }
}

const ORDER = ['e2e', 'integration'];

function rank({ project }: TestSpecification): number {
  const at = ORDER.indexOf(project.name);
  return at === -1 ? ORDER.length : at;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

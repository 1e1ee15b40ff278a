import { createHash } from 'node:crypto';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Shuffles the files of each project by the seed of the run. The project whose files take longest comes first, so that no run ends with
 * one of them alone. Projects stay together, since a worker goes on with files of its own project only.
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

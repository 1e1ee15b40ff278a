import type { Plugin, Rolldown } from 'vite';

/** Plugins of the pages and of their web workers. Vite's list of licenses leaves out the packages of workers, which it builds apart. */
export function licensesOfWorkers(): { readonly pages: Plugin; readonly worker: Plugin } {
  const moduleIds = new Set<string>();
  return {
    worker: {
      name: 'note-modules-of-worker',
      generateBundle(_options, bundle) {
        for (const chunk of Object.values(bundle))
          if (chunk.type === 'chunk') for (const id of chunk.moduleIds) moduleIds.add(id);
      },
    },
    pages: {
      name: 'licenses-of-workers',
      configResolved({ plugins }) {
        const list = plugins.find(({ name }) => name === 'vite:license');
        const write = list?.generateBundle;
        if (!list || typeof write !== 'function') throw new Error('Vite has no plugin vite:license any more');
        list.generateBundle = function (options, bundle, isWrite) {
          const workers = { type: 'chunk', moduleIds: [...moduleIds] } as Rolldown.OutputChunk;
          return write.call(this, options, { ...bundle, workers }, isWrite);
        };
      },
    },
  };
}

import { basename } from 'node:path';
import type { Rolldown } from 'vite';

type Group = Rolldown.CodeSplittingGroup;
type Context = Parameters<Exclude<Group['name'], string>>[1];

/** The names of the pages that lead to a module; `isAtOnce`: without the parts that they load later. */
function pagesOf(module: string, context: Context, isAtOnce: boolean): string[] {
  const seen = new Set<string>();
  const pages = new Set<string>();
  const visit = (id: string): void => {
    const info = seen.has(id) ? null : context.getModuleInfo(id);
    seen.add(id);
    if (info?.isEntry) pages.add(basename(id, '.html'));
    const importers = [...(info?.importers ?? []), ...(isAtOnce ? [] : (info?.dynamicImporters ?? []))];
    for (const importer of importers) visit(importer);
  };
  visit(module);
  return [...pages].sort();
}

/** The script that a page names stays a file of its own, by which the manifest knows the page. */
function isNamedByPage(id: string, context: Context): boolean {
  return [id, ...(context.getModuleInfo(id)?.importers ?? [])].some(one => one.endsWith('.html'));
}

/** One file for each set of pages that share a module of the dashboard's first load. Imports of a module are in the same set, or a larger one. */
function beginningOf(id: string, context: Context): string | null {
  if (isNamedByPage(id, context) || !pagesOf(id, context, true).includes('dashboard')) return null;
  return `begin-${pagesOf(id, context, false).join('-')}`;
}

/** One group for the modules that only the dashboard loads, and later. */
function laterOf(id: string, context: Context): string | null {
  return pagesOf(id, context, false).join() === 'dashboard' && !isNamedByPage(id, context) ? 'parts' : null;
}

/** The files of the dashboard. Left alone, each set of its parts that shares a module gets a file, and a load asks for ninety. */
export const DASHBOARD_CHUNKS: Group[] = [
  { name: beginningOf, debugName: 'begin', tags: ['$initial'], includeDependenciesRecursively: false },
  { name: laterOf, debugName: 'parts', minShareCount: 14 },
];

import { relative } from 'node:path';
import type { Reporter, TestModule } from 'vitest/node';
import type {} from './file-cpu.ts';

/** Prints what each file cost in seconds of CPU, the costliest first. A wall clock says nothing on a busy machine. */
export default class CpuReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = modules
      .flatMap((module) => {
        const { cpu } = module.meta();
        return cpu ? [{ module, ...cpu, total: cpu.own + cpu.children }] : [];
      })
      .sort((a, b) => b.total - a.total);
    const line = (own: number, children: number, name: string): string =>
      `${own.toFixed(1).padStart(8)} ${children.toFixed(1).padStart(9)}  ${name}`;
    console.log('CPU-s: own, children');
    for (const { module, own, children } of rows) console.log(line(own, children, relative(module.project.config.root, module.moduleId)));
    const sum = (of: 'own' | 'children'): number => rows.reduce((all, row) => all + row[of], 0);
    console.log(line(sum('own'), sum('children'), `all ${rows.length} files`));
  }
}

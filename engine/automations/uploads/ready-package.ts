import type { FormValues } from '#protocol/hosted/forms.ts';
import type { UploadAutomation } from '../record.ts';
import { packageName } from '../rules/package-name.ts';
import type { PlannedPackage } from './decide.ts';

/** A package with its name and, through a Portal with a form, its answers. */
export interface ReadyPackage extends PlannedPackage {
  readonly packageName: string;
  readonly counter: number;
  readonly form?: FormValues | undefined;
}

/** Names a package by the automation's template. */
export function named(record: UploadAutomation, planned: PlannedPackage, counter: number, at: number): ReadyPackage {
  const name = packageName(record.fields.package_name, { name: planned.name, folder: planned.folder, counter, at });
  return { ...planned, packageName: name, counter };
}

import type { EngineOptions, ReadingOptions, ReplayOptions, SeveralOptions } from '../terminal/command.ts';

/** Formats of a report. */
export const formats = ['terminal', 'markdown', 'json', 'sarif'] as const;
export type Format = (typeof formats)[number];

export interface ReviewCommandOptions extends SeveralOptions, EngineOptions, ReadingOptions, ReplayOptions {
  format: Format;
  failOn: 'info' | 'warning' | 'error';
  since?: string;
  base?: string;
  complete?: boolean;
  showAll?: boolean;
  live?: boolean;
  snapshot?: string;
  between?: string[];
  keyFile?: string;
  digest?: string;
  maxAge: string;
  report: FileReport[];
  sign?: string;
  statement: string;
  steps?: string;
}

/** A report that is also written to a file. */
export interface FileReport {
  format: Format;
  file: string;
}

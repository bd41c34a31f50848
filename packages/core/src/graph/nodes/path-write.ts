import type { Bounds } from './bounds.ts';

/** A write of a plan to a path whose effect is not worked out. */
export interface PathWrite extends Bounds {
  kind: 'write';
  path: string;
  /** Policies that it names. */
  policies: string[];
  /** Whether what is there lets someone sign in; else it may as well be a denial, a limit or a second factor. */
  effect: 'gives' | 'either';
  /** What it gives is not known, or not all of it. Defaults to false. */
  isOpaque?: true;
}

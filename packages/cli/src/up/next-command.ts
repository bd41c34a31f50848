import { shellWord } from '../terminal/shell-word.ts';
import type { DeploymentOptions } from './deployment-options.ts';

/** The findings of a preview that the next command depends on. */
interface PreviewedStack {
  stack: string;
  hasChanges: boolean;
  /** Whether `up` would refuse the plan. */
  isRefused: boolean;
}

/** The one command that follows a preview. A plan is made from the state, so without a change the service itself is next. */
export function nextCommand(
  { stack, hasChanges, isRefused }: PreviewedStack,
  options: DeploymentOptions,
): string {
  const verb = isRefused ? 'preview' : hasChanges ? 'up' : 'drift';
  const start = isRefused ? 'Next, once the errors are fixed:' : 'Next:';
  const how = [
    ...flagWords('--engine', options.engine),
    ...flagWords('--plugin', options.plugin),
    ...(verb === 'drift' ? [] : planOptions(options)),
  ];
  return `${start} ${['gatehouse', verb, '-s', stack, ...how].map(shellWord).join(' ')}`;
}

function planOptions(options: DeploymentOptions): string[] {
  const { refresh, import: file, target = [], exclude = [], base } = options;
  const { policyPack = [], policyPackConfig = [] } = options;
  return [
    ...(refresh ? ['--refresh'] : []),
    ...flagWords('--import', file),
    ...flagWords('--base', base),
    ...target.flatMap((name) => ['--target', name]),
    ...exclude.flatMap((name) => ['--exclude', name]),
    ...policyPack.flatMap((folder) => ['--policy-pack', folder]),
    ...policyPackConfig.flatMap((path) => ['--policy-pack-config', path]),
  ];
}

const flagWords = (flag: string, value: string | undefined) => (value === undefined ? [] : [flag, value]);

import type { AddCommand } from './command.ts';
import { addAdopt } from './commands/adopt.ts';
import { addDeploy } from './commands/deploy.ts';
import { addDestroy } from './commands/destroy.ts';
import { addDev } from './commands/dev.ts';
import { addDrift } from './commands/drift.ts';
import { addExplain } from './commands/explain.ts';
import { addInit } from './commands/init.ts';
import { addLogin } from './commands/login.ts';
import { addPreview } from './commands/preview.ts';
import { addRefresh } from './commands/refresh.ts';
import { addReview } from './commands/review.ts';
import { addRunTask } from './commands/run-task.ts';
import { addServe } from './commands/serve.ts';
import { addStateExport } from './commands/state-export.ts';
import { addUp } from './commands/up.ts';
import { addVerify } from './commands/verify.ts';

/** Every command, in the order in which `--help` lists them. */
export const commands: AddCommand[] = [
  addDev,
  addInit,
  addLogin,
  addPreview,
  addUp,
  addRefresh,
  addDestroy,
  addDrift,
  addExplain,
  addVerify,
  addStateExport,
  addReview,
  addAdopt,
  addServe,
  addRunTask,
  addDeploy,
];

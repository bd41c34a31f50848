import { Stage } from '../model/values/stage.ts';

export { Stage };

/** Whether there is a plan at that stage, and so `plan_json_api_url` in the payload. */
export function hasPlan(stage: Stage): boolean {
  return stage !== Stage.prePlan;
}

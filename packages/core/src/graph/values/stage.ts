/** Where in a run a run task is called (docs/inside/specification.md, "Events"). */
export const Stage = {
  prePlan: 'pre_plan',
  postPlan: 'post_plan',
  preApply: 'pre_apply',
  postApply: 'post_apply',
} as const;
export type Stage = (typeof Stage)[keyof typeof Stage];

/** Whether there is a plan at that stage, and so `plan_json_api_url` in the payload. */
export function hasPlan(stage: Stage): boolean {
  return stage !== Stage.prePlan;
}

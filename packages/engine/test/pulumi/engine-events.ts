/**
 * Engine events as `pulumi … --json` streams them, one a line. Written by hand to the format of pulumi/pulumi
 * `sdk/go/common/apitype/events.go` (fields and their names) and `pkg/backend/display/events.go` (what each
 * field holds: secrets with the ciphertext "[secret]", unknown values as their placeholder); not recorded
 * from a run.
 */
export const stackUrn = 'urn:pulumi:dev::gatehouse::pulumi:pulumi:Stack::gatehouse-dev';
export const roleUrn = 'urn:pulumi:dev::gatehouse::vault:jwt/authBackendRole:AuthBackendRole::reader';
export const provider = 'urn:pulumi:dev::gatehouse::pulumi:providers:vault::default_7_8_0::b27ab97e';
const secret = {
  '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
  ciphertext: '[secret]',
};
const unknown = '04da6b54-80e4-46f7-96ec-b56ff0331ba9';

let sequence = 0;
export function stream(...events: object[]): string {
  return events
    .map((event) => `${JSON.stringify({ sequence: sequence++, timestamp: 1796083200, ...event })}\n`)
    .join('');
}

const stackState = (outputs: object) => ({
  type: 'pulumi:pulumi:Stack',
  urn: stackUrn,
  id: '',
  parent: '',
  inputs: {},
  outputs,
  provider: '',
});
const roleState = (ttl: number, fields: object = {}) => ({
  type: 'vault:jwt/authBackendRole:AuthBackendRole',
  urn: roleUrn,
  custom: true,
  id: 'auth/oidc/role/reader',
  parent: stackUrn,
  inputs: { roleName: 'reader', tokenTtl: ttl, note: secret },
  outputs: { roleName: 'reader', tokenTtl: ttl, note: secret },
  provider,
  ...fields,
});

const stackSame = {
  op: 'same',
  urn: stackUrn,
  type: 'pulumi:pulumi:Stack',
  old: stackState({}),
  new: stackState({}),
  detailedDiff: null,
  provider: '',
};
const roleUpdate = {
  op: 'update',
  urn: roleUrn,
  type: 'vault:jwt/authBackendRole:AuthBackendRole',
  old: roleState(3600),
  new: roleState(7200),
  diffs: ['tokenTtl'],
  detailedDiff: { tokenTtl: { diffKind: 'update', inputDiff: false } },
  provider,
};

const begins = (metadata: object, parts: object = {}) => ({ resourcePreEvent: { metadata, ...parts } });
const ends = (metadata: object, parts: object = {}) => ({ resOutputsEvent: { metadata, ...parts } });
const diagnostic = (severity: string, message: string, fields: object) => ({
  diagnosticEvent: { message, color: 'never', severity, ...fields },
});
/** The last events of a run. */
const summary = (isPreview: boolean, resourceChanges: object) => [
  { summaryEvent: { maybeCorrupt: false, durationSeconds: 3, resourceChanges, PolicyPacks: {}, isPreview } },
  { cancelEvent: {} },
];

/** A role's lifetime is changed: previewed or applied. */
export const update = (planning: boolean): string => {
  const outputs = { methods: ['oidc'], token: secret, accessor: planning ? unknown : 'a1' };
  return stream(
    { preludeEvent: { config: { 'gatehouse:clientSecrets': '[secret]' } } },
    begins(stackSame, { planning }),
    begins(roleUpdate, { planning }),
    diagnostic('info', 'still at it', { ephemeral: true }),
    diagnostic('warning', 'soon gone\n', { urn: roleUrn, prefix: 'warning: ' }),
    ends(roleUpdate, { planning }),
    ends({ ...stackSame, new: stackState(outputs) }, { planning }),
    ...summary(planning, { same: 1, update: 1 }),
  );
};

/** A role cannot be written. */
export const failure = (): string =>
  stream(
    begins(stackSame),
    begins({ ...roleUpdate, op: 'create', old: null, keys: [], diffs: null }),
    diagnostic('error', 'permission denied', { urn: roleUrn, prefix: 'error: ' }),
    { resOpFailedEvent: { metadata: { ...roleUpdate, op: 'create', old: null }, status: 1, steps: 1 } },
    ...summary(false, { same: 1 }),
  );

/** A run that Ctrl-C stopped: two resources waited. */
export const canceled = (): string =>
  stream(
    begins(stackSame),
    ...['reader', 'writer'].flatMap((name) => {
      const why = `failed to register new resource ${name}: Resource monitor is terminating`;
      return [
        diagnostic('info#err', `Error: ${why}\n    at Object.registerResource (resource.js:1:1)\n`, {}),
        diagnostic('error', "resource monitor shut down while waiting on step's done channel", {
          urn: roleUrn,
        }),
      ];
    }),
    diagnostic('error', 'permission denied', { urn: roleUrn, prefix: 'error: ' }),
    diagnostic('error', 'update canceled', { prefix: 'error: ' }),
    ...summary(false, { same: 1 }),
  );

/** A replacement: three steps of one URN. */
export const replacement = (): string => {
  const parts = ['create-replacement', 'replace', 'delete-replaced'];
  const steps = parts.map((op) => ({ ...roleUpdate, op, keys: ['roleType'], diffs: ['roleType'] }));
  const counts = { ...Object.fromEntries(parts.map((op) => [op, 1])), 'discard-replaced': 2, discard: 1 };
  return stream(...steps.flatMap((step) => [begins(step), ends(step)]), ...summary(false, counts));
};

/**
 * The plan that belongs to `update`, as a CLI saves one (`sdk/go/common/apitype/plan.go`). A live test holds its form against
 * what a real one saved.
 */
export const updatePlan = () => ({
  manifest: { time: '2026-11-01T00:00:00Z', magic: '', version: 'v3.274.1' },
  config: {},
  resourcePlans: {
    [stackUrn]: {
      goal: {
        type: 'pulumi:pulumi:Stack',
        name: 'gatehouse-dev',
        custom: false,
        inputDiff: {},
        outputDiff: {},
      },
      steps: ['same'],
    },
    [roleUrn]: {
      goal: {
        type: 'vault:jwt/authBackendRole:AuthBackendRole',
        name: 'reader',
        custom: true,
        inputDiff: { updates: { tokenTtl: 7200 } },
        outputDiff: {},
        parent: stackUrn,
        provider,
        propertyDependencies: { roleName: [stackUrn], tokenTtl: [] },
      },
      steps: ['update'],
      seed: 'c2VlZA==',
    },
  } as Record<string, any>,
});

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
const roleState = (ttl: number, more: object = {}) => ({
  type: 'vault:jwt/authBackendRole:AuthBackendRole',
  urn: roleUrn,
  custom: true,
  id: 'auth/oidc/role/reader',
  parent: stackUrn,
  inputs: { roleName: 'reader', tokenTtl: ttl, note: secret },
  outputs: { roleName: 'reader', tokenTtl: ttl, note: secret },
  provider,
  ...more,
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

const end = [{ cancelEvent: {} }];
const summary = (isPreview: boolean, resourceChanges: object) => ({
  summaryEvent: { maybeCorrupt: false, durationSeconds: 3, resourceChanges, PolicyPacks: {}, isPreview },
});

/** A role's lifetime is changed: previewed or applied. */
export const update = (isPreview: boolean): string =>
  stream(
    { preludeEvent: { config: { 'gatehouse:clientSecrets': '[secret]' } } },
    { resourcePreEvent: { metadata: stackSame, planning: isPreview } },
    { resourcePreEvent: { metadata: roleUpdate, planning: isPreview } },
    { diagnosticEvent: { message: 'still at it', color: 'never', severity: 'info', ephemeral: true } },
    {
      diagnosticEvent: {
        urn: roleUrn,
        prefix: 'warning: ',
        message: 'soon gone\n',
        color: 'never',
        severity: 'warning',
      },
    },
    { resOutputsEvent: { metadata: roleUpdate, planning: isPreview } },
    {
      resOutputsEvent: {
        metadata: {
          ...stackSame,
          new: stackState({ methods: ['oidc'], token: secret, accessor: isPreview ? unknown : 'a1' }),
        },
        planning: isPreview,
      },
    },
    summary(isPreview, { same: 1, update: 1 }),
    ...end,
  );

/** A role cannot be written. */
export const failure = (): string =>
  stream(
    { resourcePreEvent: { metadata: stackSame } },
    { resourcePreEvent: { metadata: { ...roleUpdate, op: 'create', old: null, keys: [], diffs: null } } },
    {
      diagnosticEvent: {
        urn: roleUrn,
        prefix: 'error: ',
        message: 'permission denied',
        color: 'never',
        severity: 'error',
      },
    },
    { resOpFailedEvent: { metadata: { ...roleUpdate, op: 'create', old: null }, status: 1, steps: 1 } },
    summary(false, { same: 1 }),
    ...end,
  );

/** A replacement: three steps of one URN, the second begun before the first has ended. */
export const replacement = (): string => {
  const step = (op: string) => ({ ...roleUpdate, op, keys: ['roleType'], diffs: ['roleType'] });
  return stream(
    { resourcePreEvent: { metadata: step('create-replacement') } },
    { resOutputsEvent: { metadata: step('create-replacement') } },
    { resourcePreEvent: { metadata: step('replace') } },
    { resOutputsEvent: { metadata: step('replace') } },
    { resourcePreEvent: { metadata: step('delete-replaced') } },
    { resOutputsEvent: { metadata: step('delete-replaced') } },
    summary(false, {
      'create-replacement': 1,
      replace: 1,
      'delete-replaced': 1,
      'discard-replaced': 2,
      discard: 1,
    }),
    ...end,
  );
};

/** What was deleted before its replacement, which the program no longer wants: it is taken out of the state alone. */
export const pendingReplacement = (): string => {
  const removed = { ...roleUpdate, op: 'remove-pending-replace', new: null, diffs: null, detailedDiff: null };
  return stream(
    { resourcePreEvent: { metadata: removed } },
    { resOutputsEvent: { metadata: removed } },
    summary(false, { 'remove-pending-replace': 1 }),
    ...end,
  );
};

/** The messages of the plugin protocol. */
import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import providerPb from '@pulumi/pulumi/proto/provider_pb.js';
import statusPb from '@pulumi/pulumi/proto/status_pb.js';
import anyPb from 'google-protobuf/google/protobuf/any_pb.js';
import type { Struct } from 'google-protobuf/google/protobuf/struct_pb.js';
import { diffKinds } from '../property-diff.ts';
import type { PropertyMap } from '../property-value.ts';
import { fromStruct, toStruct } from '../wire-value.ts';
import { type DiffResponse, messageOf, PluginError, type ReadRequest, type UpdateRequest } from './plugin.ts';

const { DiffChanges } = providerPb.DiffResponse;
type DiffResponseMessage = InstanceType<typeof providerPb.DiffResponse>;

/** The fields that several messages share, and the end of their getters' and setters' names. */
const fieldNames = {
  urn: 'Urn',
  id: 'Id',
  ignoreChanges: 'IgnorechangesList',
  preview: 'Preview',
  timeout: 'Timeout',
  olds: 'Olds',
  oldInputs: 'OldInputs',
  news: 'News',
  inputs: 'Inputs',
  properties: 'Properties',
} as const;
const mapFields = new Set(['olds', 'oldInputs', 'news', 'inputs', 'properties']);
type FieldName = keyof typeof fieldNames;
type FieldValues = UpdateRequest & ReadRequest;
/** The shared fields that a message has. */
export type FieldsOf<Message> = {
  [Name in FieldName as `get${(typeof fieldNames)[Name]}` extends keyof Message
    ? Name
    : never]: FieldValues[Name];
};

/** Sets the shared fields of a message. */
export function toMessage<Message extends object>(
  message: Message,
  values: FieldsOf<Message>,
  writeMap: (map: PropertyMap) => Struct,
): Message {
  const setters = message as Record<string, (value: unknown) => unknown>;
  for (const [field, name] of Object.entries(fieldNames)) {
    const value = (values as Record<string, unknown>)[field];
    setters[`set${name}`]?.call(message, mapFields.has(field) ? writeMap(value as PropertyMap) : value);
  }
  return message;
}

/** Reads the shared fields of a message. */
export function fromMessage<Message extends object>(message: Message): FieldsOf<Message> {
  const getters = message as Record<string, () => unknown>;
  const values: Record<string, unknown> = {};
  for (const [field, name] of Object.entries(fieldNames)) {
    if (!(`get${name}` in message)) continue;
    const value = getters[`get${name}`]?.call(message);
    values[field] = mapFields.has(field) ? fromStruct(value as Struct | undefined) : value;
  }
  return values as FieldsOf<Message>;
}

export function toDiffResponse(diff: DiffResponse): DiffResponseMessage {
  const message = new providerPb.DiffResponse()
    .setChanges(diff.changes === 'none' ? DiffChanges.DIFF_NONE : DiffChanges.DIFF_SOME)
    .setReplacesList(diff.replaces)
    .setDiffsList(diff.diffs)
    .setDeletebeforereplace(diff.deleteBeforeReplace)
    .setHasdetaileddiff(diff.detailedDiff !== undefined);
  for (const [path, { kind, inputDiff }] of Object.entries(diff.detailedDiff ?? {})) {
    const entry = new providerPb.PropertyDiff().setKind(diffKinds.indexOf(kind)).setInputdiff(inputDiff);
    message.getDetaileddiffMap().set(path, entry);
  }
  return message;
}

const detailsKey = 'grpc-status-details-bin';
const initFailedType = 'pulumirpc.ErrorResourceInitFailed';

/** A plugin's refusal as a gRPC error; a partial failure is a detail of its status. */
export function toServiceError(error: unknown): Partial<ServiceError> {
  const message = messageOf(error);
  const partial = error instanceof PluginError ? error.partial : undefined;
  if (partial === undefined) return { code: status.UNKNOWN, details: message };
  const failed = new providerPb.ErrorResourceInitFailed()
    .setId(partial.id)
    .setProperties(toStruct(partial.properties, { keepSecrets: true, keepResources: true }))
    .setInputs(toStruct(partial.inputs, { keepSecrets: true, keepResources: true }))
    .setReasonsList(partial.reasons);
  const detail = new anyPb.Any();
  detail.pack(failed.serializeBinary(), initFailedType);
  const wireStatus = new statusPb.Status()
    .setCode(status.UNKNOWN)
    .setMessage(message)
    .setDetailsList([detail]);
  const metadata = new Metadata();
  metadata.set(detailsKey, Buffer.from(wireStatus.serializeBinary()));
  return { code: status.UNKNOWN, details: message, metadata };
}

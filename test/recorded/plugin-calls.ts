import structPb from 'google-protobuf/google/protobuf/struct_pb.js';
import { unknownText } from '../../core/model/values/unknown-text.ts';
import type { DiffResponse } from '../../engine/plugins/plugin.ts';
import { diffKinds } from '../../engine/property-diff.ts';
import type { PropertyMap } from '../../engine/property-value.ts';
import { fromStruct, toStruct } from '../../engine/wire-value.ts';
import type { GrpcPlugin } from '../harness/grpc-plugin.ts';
import { callEvents, type Json, type JsonObject, type Recording } from './recorded.ts';

/** A call of the `vault` plugin by the real engine (`PULUMI_DEBUG_GRPC`), in the JSON form of its messages. */
export interface PluginCall {
  method: string;
  request: JsonObject;
  response: JsonObject;
}

/** The calls of a recorded run, in the order in which they ended. */
export function pluginCalls(name: Recording): PluginCall[] {
  return callEvents(name)
    .filter(({ method, response }) => method.startsWith('ResourceProvider/') && response !== undefined)
    .map(({ method, request, response = {} }) => ({ method: method.split('/')[1] ?? '', request, response }));
}

/** Makes a recorded call again, and answers in the same form. */
export async function call(
  plugin: GrpcPlugin,
  { method, request }: Omit<PluginCall, 'response'>,
): Promise<JsonObject> {
  const text = (key: string) => (request[key] as string | undefined) ?? '';
  const map = (key: string): PropertyMap =>
    fromStruct(structPb.Struct.fromJavaScript((request[key] as JsonObject | undefined) ?? {}));
  // Each method takes what it knows of them.
  const asked = {
    ...{
      urn: text('urn'),
      id: text('id'),
      olds: map('olds'),
      oldInputs: map('oldInputs'),
      news: map('news'),
    },
    ...{ inputs: map('inputs'), properties: map('properties'), preview: request['preview'] === true },
    ...{ ignoreChanges: [], timeout: 0 },
  };
  switch (method) {
    case 'CheckConfig':
      return { inputs: json((await plugin.checkConfig(asked)).inputs) };
    case 'DiffConfig':
      return diffAnswer(await plugin.diffConfig(asked));
    case 'Configure':
      await plugin.configure({ inputs: map('args') });
      return { supportsPreview: plugin.supportsPreview };
    case 'Check': {
      const { inputs, failures } = await plugin.check(asked);
      const reasons = failures.map(({ reason }) => reason);
      return { inputs: json(inputs), ...(reasons.length > 0 && { failures: reasons }) };
    }
    case 'Diff':
      return { ...diffAnswer(await plugin.diff(asked)), hasDetailedDiff: true };
    case 'Create': {
      const { id, properties } = await plugin.create(asked);
      return { ...(id !== '' && { id }), properties: json(properties) };
    }
    case 'Read': {
      const { id, properties, inputs } = await plugin.read(asked);
      // Without an id nothing is there, and the client fills in what it was asked with.
      return id === '' ? {} : { id, properties: json(properties), inputs: json(inputs) };
    }
    case 'Update':
      return { properties: json((await plugin.update(asked)).properties) };
    case 'Delete':
      await plugin.delete(asked);
      return {};
    default:
      throw new Error(`a recording has a call of ${method}, which is not made again`);
  }
}

function diffAnswer({
  changes,
  diffs,
  replaces,
  detailedDiff,
  deleteBeforeReplace,
}: DiffResponse): JsonObject {
  const names = { unknown: 'DIFF_UNKNOWN', none: 'DIFF_NONE', some: 'DIFF_SOME' };
  const detailed = Object.entries(detailedDiff ?? {}).map(([path, { kind, inputDiff }]) => [
    path,
    // An enumeration's first value, like false, is left out of the JSON form.
    {
      ...(kind !== diffKinds[0] && { kind: kind.toUpperCase().replace('-', '_') }),
      ...(inputDiff && { inputDiff }),
    },
  ]);
  return {
    changes: names[changes],
    ...(diffs.length > 0 && { diffs }),
    ...(replaces.length > 0 && { replaces }),
    ...(deleteBeforeReplace && { deleteBeforeReplace }),
    ...(detailed.length > 0 && { detailedDiff: Object.fromEntries(detailed) }),
  };
}

function json(map: PropertyMap): JsonObject {
  return toStruct(map).toJavaScript() as JsonObject;
}

/** What differs between the service that was recorded and this one: addresses, and what a service makes up. */
export class Names {
  readonly #now = new Map<string, string>();
  readonly #then = new Map<string, string>();
  readonly #addresses: [string, string][];

  /** @param addresses recorded address → address now */
  constructor(addresses: Record<string, string>) {
    this.#addresses = Object.entries(addresses);
  }

  /** Learns ids and accessors from a recorded value and the same value now. */
  learn(recorded: Json | undefined, actual: Json | undefined): void {
    if (typeof recorded === 'string' && typeof actual === 'string') {
      if (!isMade(recorded) || !isMade(actual) || recorded === unknownText) return;
      this.#now.set(recorded, actual);
      this.#then.set(actual, recorded);
    } else if (isObject(recorded) && isObject(actual)) {
      for (const key of Object.keys(recorded)) this.learn(recorded[key], actual[key]);
    }
  }

  /** As it is now. */
  renewed<T extends Json>(value: T): T {
    return this.#map(value, this.#now, this.#addresses) as T;
  }

  /** As it was recorded. */
  original<T extends Json>(value: T): T {
    return this.#map(
      value,
      this.#then,
      this.#addresses.map(([from, to]) => [to, from]),
    ) as T;
  }

  #map(value: Json, names: Map<string, string>, addresses: [string, string][]): Json {
    if (typeof value === 'string') {
      const named = value.replace(made, (name) => names.get(name) ?? name);
      return addresses.reduce((text, [from, to]) => text.replaceAll(from, to), named);
    }
    if (Array.isArray(value)) return value.map((each) => this.#map(each, names, addresses));
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [key, this.#map(each, names, addresses)]),
    );
  }
}

/** A UUID or an accessor of an auth method, alone or in a reference. */
const made = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|auth_[a-z]+_[0-9a-f]{8}/g;

function isMade(text: string): boolean {
  return text.replace(made, '') === '' && text !== '';
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

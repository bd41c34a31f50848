import type { Plugin } from '../../src/plugins/plugin.ts';
import type { PropertyMap } from '../../src/property-value.ts';
import { toStruct } from '../../src/wire-value.ts';

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

/** A call of a plugin begins, or ends. */
export interface Call {
  call: number;
  method: string;
  request: JsonObject;
  ends: boolean;
  /** Once it ended. */
  answer?: JsonObject;
}

const methods = new Set([
  'checkConfig',
  'diffConfig',
  'configure',
  'check',
  'diff',
  'create',
  'read',
  'update',
  'delete',
]);

/** A plugin whose calls are noted. */
export function logged(plugin: Plugin, calls: Call[]): Plugin {
  return new Proxy(plugin, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      const method = String(name);
      if (!methods.has(method)) return value.bind(target);
      return async (given: Record<string, unknown>) => {
        const begins = { call: calls.length, method, request: jsonOf(given), ends: false };
        calls.push(begins);
        try {
          const answer = await value.call(target, given);
          calls.push({ ...begins, ends: true, answer: jsonOf(answer ?? {}) });
          return answer;
        } catch (error) {
          calls.push({ ...begins, ends: true, answer: {} });
          throw error;
        }
      };
    },
  });
}

function jsonOf(given: Record<string, unknown>): JsonObject {
  const entries = Object.entries(given).map(([name, value]): [string, Json] => {
    const isMap =
      typeof value === 'object' && value !== null && !Array.isArray(value) && name !== 'randomSeed';
    return [name, isMap ? (toStruct(value as PropertyMap).toJavaScript() as JsonObject) : (value as Json)];
  });
  return Object.fromEntries(entries);
}

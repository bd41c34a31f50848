import { z } from 'zod';
import { keys, list, type PathSchemas, texts } from './operation-schema.ts';

const about = { name: z.string(), version: z.int(), modified: z.string().optional() };
const removed = { summary: 'Delete a policy' };
const bothNames = { data: z.strictObject({ keys: texts, policies: texts }) };
/** Capabilities by path; `capabilities` besides where there is one path. */
const capabilities = { data: z.record(z.string(), texts) };
const atPaths = z.object({ paths: list.optional(), path: list.optional() });

export const policySchemas: PathSchemas = {
  'sys/policies/acl': { list: { summary: 'List the policies', answer: keys } },
  'sys/policies/acl/:name+': {
    read: { summary: 'Read a policy', answer: { data: z.strictObject({ ...about, policy: z.string() }) } },
    update: { summary: 'Write a policy', body: z.object({ policy: z.string() }) },
    delete: removed,
  },
  'sys/policy': {
    read: { summary: 'List the policies', answer: bothNames },
    list: { summary: 'List the policies', answer: bothNames },
  },
  'sys/policy/:name+': {
    read: { summary: 'Read a policy', answer: { data: z.strictObject({ ...about, rules: z.string() }) } },
    update: {
      summary: 'Write a policy',
      body: z.object({ policy: z.string().optional(), rules: z.string().optional() }),
    },
    delete: removed,
  },
  'sys/capabilities-self': {
    update: { summary: 'What one may do at paths', body: atPaths, answer: capabilities },
  },
  'sys/capabilities': {
    update: {
      summary: 'What a token may do at paths',
      body: atPaths.extend({ token: z.string() }),
      answer: capabilities,
    },
  },
  'sys/capabilities-accessor': {
    update: {
      summary: 'What the token of an accessor may do at paths',
      body: atPaths.extend({ accessor: z.string() }),
      answer: capabilities,
    },
  },
};

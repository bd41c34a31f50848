import { HclError } from '@gatehouse/core/graph';
import { policyKey } from '@gatehouse/core/values';
import { z } from 'zod';
import { orNotFound } from '../protocol/answer.ts';
import { textField } from '../protocol/fields.ts';
import { listOnly, op, type Reply, type RequestContext, route, type SecretsPath } from '../protocol/path.ts';
import { RequestRefusal } from '../protocol/refusal.ts';
import { keys, strings, texts } from '../protocol/schemas.ts';
import { checkEnforced } from './enforced.ts';
import { policies, policyNames, readPolicy, writePolicy } from './policy.ts';

const policySchema = { name: z.string(), version: z.int(), modified: z.string().optional() };
const removing = op('Delete a policy', remove);
const listing = op('List the policies', listOrRead, {
  data: z.strictObject({ keys: texts, policies: texts }),
});

/** ACL policies at their current path and at the older one, which calls the text `rules`. */
export const policyPaths: SecretsPath[] = [
  listOnly('sys/policies/acl', 'List the policies', list, keys),
  route('sys/policies/acl/:name+', {
    read: op('Read a policy', (context) => read(context, 'policy'), {
      data: z.strictObject({ ...policySchema, policy: z.string() }),
    }),
    update: op('Write a policy', (context) => write(context), { body: z.object(strings('policy')) }),
    delete: removing,
  }),
  route('sys/policy', { read: listing, list: listing }),
  route('sys/policy/:name+', {
    read: op('Read a policy', (context) => read(context, 'rules'), {
      data: z.strictObject({ ...policySchema, rules: z.string() }),
    }),
    update: op('Write a policy', writeByOldName, {
      body: z.object(strings('policy', 'rules')).partial(),
    }),
    delete: removing,
  }),
];

const nameOf = ({ parameters }: RequestContext) => policyKey(parameters.name);

function list(context: RequestContext): Reply {
  return { data: { keys: policyNames(context) } };
}

function listOrRead(context: RequestContext): Reply {
  const keys = policyNames(context);
  return { data: { keys, policies: keys } };
}

function read(context: RequestContext, textName: 'policy' | 'rules'): Reply {
  const name = nameOf(context);
  const policy = name === 'root' ? { name, text: '', version: 0 } : orNotFound(readPolicy(context, name));
  const { text, version, modified } = policy;
  return { data: { name, [textName]: text, version, ...(modified === undefined ? {} : { modified }) } };
}

function writeByOldName(context: RequestContext): Reply {
  const { body } = context;
  const older = textField(body, 'rules') ?? '';
  if (older === '' || (textField(body, 'policy') ?? '') !== '') return write(context);
  write(context, older);
  return { warnings: ["'rules' is deprecated, please use 'policy' instead"] };
}

function write(context: RequestContext, policyText = textField(context.body, 'policy') ?? ''): Reply {
  const name = nameOf(context);
  if (policyText === '') throw new RequestRefusal(400, "'policy' parameter not supplied or empty");
  if (name === 'root' || name === 'response-wrapping') {
    throw new RequestRefusal(400, `cannot update ${JSON.stringify(name)} policy`);
  }
  const text = decoded(policyText);
  try {
    checkEnforced(text, context.now);
  } catch (error) {
    if (error instanceof HclError) throw new RequestRefusal(400, `failed to parse policy: ${error.message}`);
    throw error;
  }
  writePolicy(context, context.now, name, text);
  return {};
}

function decoded(text: string): string {
  const isBase64 = text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
  return isBase64 ? Buffer.from(text, 'base64').toString('utf8') : text;
}

function remove(context: RequestContext): Reply {
  const name = nameOf(context);
  if (name === 'root') throw new RequestRefusal(400, 'cannot delete "root" policy');
  if (name === 'default') throw new RequestRefusal(400, 'cannot delete default policy');
  policies.delete(context, name);
  return {};
}

import { z } from 'zod';
import { configFields } from '../../../core/model/resources/auth-method.ts';
import { roleFields } from '../../../core/model/resources/role.ts';
import { all, answerFields, bodyFields, keys, type PathSchemas, strings } from './operation-schema.ts';
import { auth } from './token-schemas.ts';

const configRead = z.strictObject({
  ...answerFields(configFields),
  ...strings('oidc_response_mode', 'status'),
});
const roleRead = z.strictObject(answerFields(roleFields, (name) => !name.startsWith('token_')));

export const authSchemas: PathSchemas = {
  'auth/{mount}/config': {
    read: { summary: 'Read the configuration of an auth method', answer: { data: configRead } },
    update: {
      summary: 'Configure an auth method: what is left out is reset',
      body: z.object(bodyFields(configFields)),
    },
  },
  'auth/{mount}/role': { list: { summary: 'List the roles of an auth method', answer: keys } },
  'auth/{mount}/role/:name': {
    read: { summary: 'Read a role', answer: { data: roleRead } },
    update: { summary: 'Write a role: what is left out is kept', body: z.object(bodyFields(roleFields)) },
    delete: { summary: 'Delete a role' },
  },
  'auth/{mount}/login': {
    update: {
      summary: 'Sign in with a JWT',
      body: z.object({ jwt: z.string(), role: z.string().optional() }),
      answer: { auth },
    },
  },
  'auth/{mount}/oidc/auth_url': {
    update: {
      summary: 'Begin an OIDC login; an empty auth_url says that it may not begin so',
      body: z.object({
        redirect_uri: z.string(),
        ...all(z.string().optional(), 'role', 'client_nonce'),
      }),
      answer: { data: z.strictObject(strings('auth_url')) },
    },
  },
  'auth/{mount}/oidc/callback': {
    read: {
      summary: 'End an OIDC login',
      query: ['state', 'code', 'client_nonce', 'iss', 'error'],
      answer: { auth },
    },
    update: {
      summary: 'What a provider posts (form_post), for the client to come for',
      body: z.object({ state: z.string(), ...all(z.string().optional(), 'code', 'id_token') }),
      answer: { data: z.strictObject(strings('state', 'code')) },
    },
  },
};

import {
  canonicalInstant,
  decodeMessage,
  type Field,
  type Fields,
  messageFields,
} from '@gatehouse/core/graph';
import { hasCustomMessages, isObject } from '@gatehouse/core/values';
import type { JsonObject } from '@gatehouse/service-client';
import { isPropertyMap, type PropertyMap, type PropertyValue } from '../../property-value.ts';
import { idOfCreated, keptAt, listed, type VaultResourceType } from './resource-type.ts';
import { entries, namespaceProperty, onWire, type Schema, schemaOf, text, toldValues } from './schema.ts';

/** The plugin has its own name for the text. */
const { message: _, ...fields } = messageFields;

const schema: Schema = {
  ...schemaOf(
    fields,
    {
      link: {
        type: 'object',
        fields: { title: { type: 'string', required: true }, href: { type: 'string', required: true } },
      },
    },
    Object.keys(fields).filter((name) => (fields as Fields)[name]?.default !== undefined),
  ),
  messageBase64: {
    type: 'string',
    required: true,
    refuse: (value) => (decodeMessage(value) === undefined ? 'must be base64 (with the padding)' : undefined),
  },
  namespace: namespaceProperty,
};

const root = 'sys/config/ui/custom-messages';

/**
 * A message in the service's UI (docs/inside/specification.md area C, and hashicorp/terraform-provider-vault
 * `vault/resource_config_ui_custom_message.go`).
 */
export const uiCustomMessage: VaultResourceType = {
  token: 'vault:config/uiCustomMessage:UiCustomMessage',
  ...keptAt(schema, (id) => `${root}/${id}`, writtenMessage, toldMessage),

  check(_inputs, version) {
    if (version === undefined || hasCustomMessages(version)) return [];
    const reason =
      `this secrets service (version ${version.text}) has no custom messages: they need an enterprise version ` +
      'of at least 1.16. Leave the messages out with `features: { messages: false }` under `gatehouse:service`';
    return [{ property: '', reason }];
  },

  async create(client, inputs) {
    return idOfCreated('a custom message', await client.post(root, writtenMessage(inputs)));
  },

  // Idempotent, but docs/inside/specification.md says POST.
  async update(client, id, _olds, news) {
    await client.post(`${root}/${id}`, writtenMessage(news));
  },

  async findCreated(client, inputs) {
    const candidates = (await listed(client, root)).filter(([, { title }]) => title === inputs['title']);
    const matches: string[] = [];
    for (const [id] of candidates) {
      const message = await client.read(`${root}/${id}`);
      const same =
        message?.data['message'] === inputs['messageBase64'] &&
        canonicalInstant(String(message?.data['start_time'])) === canonicalInstant(text(inputs, 'startTime'));
      if (same) matches.push(id);
    }
    return matches;
  },
};

function writtenMessage(message: PropertyMap): JsonObject {
  const body: JsonObject = { message: text(message, 'messageBase64') };
  for (const [name, field] of Object.entries<Field>(fields)) {
    const value = message[name] ?? (field.default as PropertyValue | undefined);
    if (value === undefined || value === '') continue;
    body[onWire(name)] = isPropertyMap(value) ? Object.fromEntries(entries(value)) : value;
  }
  const { link } = message;
  if (isPropertyMap(link)) body['link'] = { [text(link, 'title')]: text(link, 'href') };
  return body;
}

function toldMessage(data: JsonObject): PropertyMap {
  const { link: _, ...read } = toldValues(schema, data);
  read['messageBase64'] = String(data['message'] ?? '');
  // The state has "" for no end.
  read['endTime'] ??= '';
  const [link] = isObject(data['link']) ? Object.entries(data['link']) : [];
  if (link !== undefined) read['link'] = { title: link[0], href: link[1] as PropertyValue };
  return read;
}

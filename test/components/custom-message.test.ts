import { describe, expect, test } from '@jest/globals';
import * as pulumi from '@pulumi/pulumi';
import * as vault from '@pulumi/vault';
import { CustomMessage, officialMessage } from '../../components/custom-message.ts';
import { named, register, registration } from '../harness/pulumi-mocks.ts';

const args = {
  title: 'Maintenance',
  message: 'Grüß Gott',
  type: 'modal',
  authenticated: false,
  startTime: '2026-12-01T00:00:00Z',
  endTime: '2026-12-02T00:00:00Z',
  link: { 'Status page': 'https://status.example.com' },
  options: { color: 'red' },
};
const { message, link, ...same } = args;
const inputs = {
  ...same,
  messageBase64: 'R3LDvMOfIEdvdHQ=',
  link: { title: 'Status page', href: 'https://status.example.com' },
};

describe('officialMessage (hashicorp/terraform-provider-vault vault/resource_config_ui_custom_message.go)', () => {
  test('registers the official resource and nothing else', async () => {
    expect(
      await register(() => new vault.config.UiCustomMessage('maintenance', officialMessage(args))),
    ).toEqual([registration('vault:config/uiCustomMessage:UiCustomMessage', 'maintenance', { inputs })]);
  });

  test('takes text and link from outputs', async () => {
    const given = { ...args, message: pulumi.output(message), link: pulumi.output(link) };
    const [registered] = await register(
      () => new vault.config.UiCustomMessage('maintenance', officialMessage(given)),
    );
    expect(registered?.inputs).toEqual(inputs);
  });

  test('sends nothing that was not given', async () => {
    const given = { title: 'a', message: 'a', startTime: '2026-12-01T00:00:00Z' };
    const [registered] = await register(() => new vault.config.UiCustomMessage('a', officialMessage(given)));
    expect(registered?.inputs).toEqual({
      title: 'a',
      messageBase64: 'YQ==',
      startTime: '2026-12-01T00:00:00Z',
    });
  });
});

test('CustomMessage is a component with the official resource', async () => {
  const registered = await register(() => new CustomMessage('maintenance', args));
  expect(named(registered, 'maintenance-message')).toMatchObject({
    inputs,
    parent: 'maintenance',
  });
  expect(named(registered, 'maintenance')).toMatchObject({
    type: 'gatehouse:index:CustomMessage',
    inputs: args,
    outputs: { messageId: 'maintenance-message-id' },
  });
});

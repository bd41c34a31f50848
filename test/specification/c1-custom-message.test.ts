import { describe, expect, test } from '@jest/globals';
import { CustomMessage, type CustomMessageArgs } from '../../components/custom-message.ts';
import { isActive, messageFromWire, messageSettings } from '../../core/model/resources/custom-message.ts';
import { parseInstant } from '../../core/model/values/instant.ts';
import { register } from '../harness/pulumi-mocks.ts';

const least = { title: 'Maintenance', message: 'Saturday', startTime: '2026-12-01T00:00:00Z' };
const sent = async (more: Partial<CustomMessageArgs> = {}) =>
  (await register(() => new CustomMessage('maintenance', { ...least, ...more })))[0]?.inputs ?? {};
const refused = (more: Record<string, unknown>) =>
  messageSettings.safeParse({ ...least, ...more }).error?.issues.map(({ path }) => path.join('.'));

describe('C1. Custom message, and the body fields for create and update', () => {
  test('C1 id: the service’s own, assigned at creation, never sent', async () => {
    expect(refused({ id: '1' })).toEqual(['']);
    expect(await sent()).not.toHaveProperty('id');
  });

  test('C1 active: the service’s own, never sent', async () => {
    expect(refused({ active: true })).toEqual(['']);
    expect(await sent()).not.toHaveProperty('active');
  });

  test('C1 active: true from start_time on, until end_time', () => {
    const message = { startTime: '2026-12-01T00:00:00Z', endTime: '2026-12-02T00:00:00Z' };
    const at = (now: string) => isActive(message, parseInstant(now)!);
    expect([at('2026-11-30T23:59:59Z'), at('2026-12-01T00:00:00Z'), at('2026-12-02T00:00:00Z')]).toEqual([
      false,
      true,
      false,
    ]);
  });

  test('C1 title: string, required', async () => {
    expect(refused({ title: undefined })).toEqual(['title']);
    expect((await sent())['title']).toBe('Maintenance');
  });

  test('C1 authenticated: bool, default true (post-login)', () => {
    expect(messageSettings.parse(least).authenticated).toBe(true);
    expect(refused({ authenticated: 'yes' })).toEqual(['authenticated']);
  });

  test('C1 authenticated: false is shown pre-login', async () => {
    expect((await sent({ authenticated: false }))['authenticated']).toBe(false);
  });

  test('C1 type: string, banner (default) or modal', () => {
    expect(messageSettings.parse(least).type).toBe('banner');
    expect(messageSettings.parse({ ...least, type: 'modal' }).type).toBe('modal');
    expect(refused({ type: 'popup' })).toEqual(['type']);
  });

  test('C1 message: string, required, base64 encoded', async () => {
    expect(refused({ message: undefined })).toEqual(['message']);
    expect((await sent())['messageBase64']).toBe('U2F0dXJkYXk=');
    expect(messageFromWire({ message: 'U2F0dXJkYXk=' }).message).toBe('Saturday');
  });

  test('C1 link: map with a single property, title to URL', async () => {
    const link = { 'Status page': 'https://status.example.com' };
    expect((await sent({ link }))['link']).toEqual({
      title: 'Status page',
      href: 'https://status.example.com',
    });
    expect(refused({ link: {} })).toEqual(['link']);
    expect(refused({ link: { ...link, Handbook: 'https://handbook.example.com' } })).toEqual(['link']);
  });

  test('C1 link: not required', async () => {
    expect(refused({})).toBeUndefined();
    expect(await sent()).not.toHaveProperty('link');
  });

  test('C1 options: map, custom UI properties, not required', async () => {
    expect((await sent({ options: { colour: 'red' } }))['options']).toEqual({ colour: 'red' });
    expect(await sent()).not.toHaveProperty('options');
  });

  test('C1 start_time: string, required, RFC 3339', async () => {
    expect(refused({ startTime: undefined })).toEqual(['startTime']);
    expect(refused({ startTime: '1 December' })).toEqual(['startTime']);
    expect((await sent())['startTime']).toBe('2026-12-01T00:00:00Z');
  });

  test('C1 end_time: string, RFC 3339', async () => {
    expect(refused({ endTime: '1 December' })).toEqual(['endTime']);
    expect((await sent({ endTime: '2026-12-02T00:00:00Z' }))['endTime']).toBe('2026-12-02T00:00:00Z');
  });

  test('C1 end_time: if omitted or null the active period never ends', async () => {
    expect(messageSettings.parse({ ...least, endTime: null }).endTime).toBeUndefined();
    expect(await sent()).not.toHaveProperty('endTime');
    expect(isActive(least, parseInstant('9999-12-31T23:59:59Z')!)).toBe(true);
  });
});

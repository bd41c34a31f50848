import { spawn } from 'node:child_process';

/**
 * Opens a URL in the person's browser, without waiting for it. Where there is none, nothing happens: whoever calls
 * this has shown the URL.
 */
export function openBrowser(
  url: URL,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): void {
  const [command, ...before] = openers[platform] ?? ['xdg-open'];
  // No shell, and only what `URL` has made of it: the address comes from a service.
  const opener = spawn(command as string, [...before, url.href], { env, stdio: 'ignore', detached: true });
  opener.on('error', () => {});
  opener.unref();
}

const openers: Partial<Record<NodeJS.Platform, string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

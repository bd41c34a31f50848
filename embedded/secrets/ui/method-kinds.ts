import { adoptedSettings, type ProviderKind } from '../../../core/model/kinds/kinds.ts';
import { methodConfigFromWire } from '../../../core/model/resources/auth-method.ts';
import { configData, getConfig } from '../auth/config.ts';
import { methods } from '../mounts/mount.ts';
import type { Space } from '../storage/storage.ts';

/** The kinds of the providers behind the auth methods of a namespace, by path, that fit their configuration best. */
export function methodKinds(space: Space): Map<string, ProviderKind> {
  return new Map(
    methods.all(space).flatMap((mount) => {
      const { path, type } = mount;
      const config = type === 'oidc' || type === 'jwt' ? getConfig(space, mount) : undefined;
      if (config === undefined) return [];
      const [fits] = adoptedSettings({ path, type, config: methodConfigFromWire(configData(config)) }, []);
      return fits === undefined ? [] : [[path, fits.kind] as const];
    }),
  );
}

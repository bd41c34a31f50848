import { sortedJson } from '../../graph/resources/field.ts';
import { getOrMake } from '../../graph/values/get-or-make.ts';
import { unknownTexts } from '../../graph/values/unknown-text.ts';
import type { PlannedSide } from './planned-resource.ts';
import type { PulumiState, PulumiStep } from './pulumi-preview.ts';
import { isServicePackage } from './service-packages.ts';

const providers = 'pulumi:providers:';

/** Says which server a resource of a preview is on, by the provider resource that makes it. */
export class PulumiServers {
  readonly #byUrn = new Map<string, Pick<PlannedSide, 'server' | 'namespace'>>();
  /** Providers of other packages with the address of a service. */
  readonly #withServiceAddress = new Set<string>();
  /** Why resources may not be where they seem to be. */
  readonly incomplete: string[] = [];
  readonly #addresses = new Set<string | undefined>();

  constructor(steps: PulumiStep[]) {
    this.#findOthers(steps);
    const names = new Map<string, string>();
    for (const { urn, oldState, newState, op } of steps) {
      if (!isServiceProvider(urn) || op === 'refresh') continue;
      const name = nameOfUrn(urn);
      const before = oldState && addressIn(oldState);
      const after = newState && addressIn(newState);
      if (before && after && sortedJson(before) !== sortedJson(after)) {
        this.incomplete.push(
          `The provider ${JSON.stringify(name)} goes to another address or namespace: what is there is not known.`,
        );
      }
      const [address, namespace] = after ?? before ?? [];
      const isKnown = typeof address === 'string' && !unknownTexts.has(address) && address !== '[secret]';
      this.#addresses.add(isKnown ? address : undefined);
      const within = typeof namespace === 'string' && !unknownTexts.has(namespace) ? namespace : undefined;
      const identity = isKnown ? sortedJson([address, within === undefined ? urn : null]) : urn;
      const server = getOrMake(names, identity, () => this.#free(name, urn));
      this.#byUrn.set(urn, { server, namespace: within ?? '' });
    }
  }

  /** Address of the only server, where the preview says it. */
  get address(): string | undefined {
    const [address] = this.#addresses;
    return this.#addresses.size === 1 ? address : undefined;
  }

  #findOthers(steps: PulumiStep[]): void {
    const addressOf = ({ oldState, newState }: PulumiStep) => (newState ?? oldState)?.inputs['address'];
    const allProviders = steps.filter(({ urn }) => typeOfUrn(urn).startsWith(providers));
    const known = new Set(allProviders.filter(({ urn }) => isServiceProvider(urn)).map(addressOf));
    for (const step of allProviders) {
      const address = addressOf(step);
      if (isServiceProvider(step.urn) || typeof address !== 'string') continue;
      if (known.has(address)) this.#withServiceAddress.add(step.urn);
    }
  }

  /** @param reference of a provider: its URN, and its id after another `::` */
  of(reference: string | undefined): Pick<PlannedSide, 'server' | 'namespace'> {
    if (reference === undefined) return { server: 'default', namespace: '' };
    const urn = reference.slice(0, reference.lastIndexOf('::'));
    return getOrMake(this.#byUrn, urn, () => ({ server: this.#free(nameOfUrn(urn), urn), namespace: '' }));
  }

  /** Whether a provider of another package leads to the address of a service. */
  isOfService(reference: string | undefined): boolean {
    return (
      reference !== undefined && this.#withServiceAddress.has(reference.slice(0, reference.lastIndexOf('::')))
    );
  }

  /** The name of a provider; its URN where another one has the name. */
  #free(name: string, urn: string): string {
    // Each version of a package has a default provider, and all of them have one configuration.
    const isOfOther = (other: string) => typeOfUrn(other) !== typeOfUrn(urn);
    const isTaken = [...this.#byUrn].some(([other, { server }]) => server === 'default' && isOfOther(other));
    if (/^default(?:_|$)/.test(name)) return isTaken ? urn : 'default';
    return [...this.#byUrn.values()].some(({ server }) => server === name) ? urn : name;
  }
}

/** The address and the namespace that a provider is given. */
function addressIn({ inputs }: PulumiState): [address: unknown, namespace: unknown] {
  return [inputs['address'] ?? null, inputs['namespace'] ?? ''];
}

/** Whether a resource of Pulumi is a provider of a secrets service. */
export function isServiceProvider(urn: string): boolean {
  const type = typeOfUrn(urn);
  return type.startsWith(providers) && isServicePackage(type.slice(providers.length));
}

export function typeOfUrn(urn: string): string {
  const types = urn.split('::')[2] ?? '';
  return types.slice(types.lastIndexOf('$') + 1);
}

export function nameOfUrn(urn: string): string {
  return urn.split('::').slice(3).join('::');
}

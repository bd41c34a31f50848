/** The file of a stack with one cluster, and the policy `shop`. */
export function clusterStack({ roles, policy }: { roles: Record<string, string>; policy: string }): string {
  const declared = Object.entries(roles).map(
    ([name, policies]) =>
      `{ name: ${name}, namespace: shop, serviceAccount: ${name}, policies: [${policies}] }`,
  );
  return `config:
  gatehouse:service: { address: http://127.0.0.1:9 }
  gatehouse:providers:
    - kind: container_orchestrator
      name: cluster
      issuer: https://c.example
      roles: [${declared.join(', ')}]
  gatehouse:policies: [{ name: shop, policy: ${JSON.stringify(policy)} }]
`;
}

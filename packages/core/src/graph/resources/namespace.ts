/** The official type of a namespace in Pulumi's package. No graph has namespaces: each has one of its own. */
export const namespaceToken = 'vault:index/namespace:Namespace';

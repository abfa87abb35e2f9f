export const operator: typeof import('../en/operator.ts').operator = {
  says: 'Der Betreiber dieses Servers sagt:',
  imprint: (host) => `Impressum: ${host}`,
  privacy: (host) => `Datenschutzerklärung: ${host}`,
}

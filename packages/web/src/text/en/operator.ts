export const operator = {
  says: 'The operator of this server says:',
  imprint: (host: string) => `Imprint: ${host}`,
  privacy: (host: string) => `Privacy notice: ${host}`,
}

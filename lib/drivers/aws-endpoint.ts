/** The regional endpoint of a service of AWS, by the name in its host: `https://s3.eu-central-1.amazonaws.com`. */
export function awsEndpoint(name: string, region: string): string {
  return `https://${name}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

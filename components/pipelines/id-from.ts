/** The id that a name suggests: "Ünited Weather 2" → united_weather_2. Empty when no character of the name fits into an id. */
export function idFrom(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^[^a-z]+/, '')
    .slice(0, 63)
    .replace(/_+$/, '')
}

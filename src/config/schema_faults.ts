interface SchemaFault {
  /** A pointer into the value: `#/a/0`. */
  readonly instanceLocation: string;
  readonly keyword: string;
  readonly error: string;
}

/** Keywords that only say that something in them does not fit, which the next entry says better. */
const FRAMES = [
  ...["properties", "additionalProperties", "patternProperties", "propertyNames"],
  ...["items", "prefixItems", "$ref", "if"],
];

/** In words, by path, and not all of them: a long list helps nobody. */
export function schema_faults(errors: readonly SchemaFault[], most = Infinity): string {
  const own = errors.filter(({ keyword }) => !FRAMES.includes(keyword));
  // The validator takes a property in which something does not fit for one that is not known as well.
  const is_echo = ({ keyword, instanceLocation: at }: SchemaFault) =>
    keyword === "false" &&
    own.some(({ keyword, instanceLocation }) =>
      instanceLocation.startsWith(`${at}/`) || (instanceLocation === at && keyword !== "false")
    );
  const shown = (own.length > 0 ? own : errors).filter((one) => !is_echo(one)).slice(0, most);
  return shown.map(({ instanceLocation, keyword, error }) => {
    const path = instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".");
    const words = keyword === "false" ? "it is not allowed." : error;
    return path === "" ? words : `${path}: ${words}`;
  }).join(" ");
}

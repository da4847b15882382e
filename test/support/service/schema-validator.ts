import { createRequire } from 'node:module';

/** A compiled schema: whether the value fits, and after that what does not. Defaults are filled in, as when served. */
export interface Validate {
  (value: unknown): boolean;
  errors?: readonly { readonly instancePath: string; readonly schemaPath: string; readonly message?: string }[] | null;
}

interface Ajv {
  compile(schema: object): Validate;
  addSchema(schema: object, key: string): void;
}

/** Ajv as Fastify brings it, so that tests judge by what really validates requests; strict about the schemas themselves. */
const fastifys = createRequire(createRequire(import.meta.url).resolve('fastify'));
const compilers = createRequire(fastifys.resolve('@fastify/ajv-compiler'));

function make(dialect: 'ajv' | 'ajv/dist/2020', options: object): Ajv {
  const Constructor = compilers(dialect).default as new (options: object) => Ajv;
  // Shorter code judges the same, and takes twice the CPU to make; here each is asked a few times.
  const code = { optimize: false };
  const ajv = new Constructor({ allErrors: true, strict: true, allowUnionTypes: true, useDefaults: true, code, ...options });
  (compilers('ajv-formats').default as (ajv: Ajv) => void)(ajv);
  return ajv;
}

/** A compiler of the route tables' schemas (draft 7 rules, as served). */
export function schemaCompiler(): (schema: object) => Validate {
  const ajv = make('ajv', {});
  // Many places have the same rules.
  const known = new Map<string, Validate>();
  return (schema) => {
    const text = JSON.stringify(schema);
    const validate = known.get(text) ?? ajv.compile(schema);
    known.set(text, validate);
    return validate;
  };
}

/** Compiles the schemas at places of an OpenAPI 3.1 document (draft 2020-12); `#/components/…` is found inside it. */
export function documentCompiler(document: object): (pointer: string) => Validate {
  const ajv = make('ajv/dist/2020', { strictSchema: false });
  ajv.addSchema(document, 'openapi');
  return (pointer) => ajv.compile({ $ref: `openapi#${pointer}` });
}

/** Fastify's serialiser of replies, as it is made for a route's reply schema. */
export function serialiser(schema: object): (value: unknown) => string {
  const build = createRequire(fastifys.resolve('@fastify/fast-json-stringify-compiler'))('fast-json-stringify');
  return (build as (schema: object) => (value: unknown) => string)(structuredClone(schema));
}

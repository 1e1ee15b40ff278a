/** Two short ways to show a property of an object as it is: `t.member(name, type, description)`, and `t.nullable(…)`. */
import { FieldBuilder, type FieldKind, type SchemaTypes, type ShapeFromTypeParam, type TypeParam } from '@pothos/core';

/** The properties whose values a field can show as they are. */
type Shown<ParentShape, Shape> = {
  [Name in keyof ParentShape]-?: Awaited<ParentShape[Name]> extends Readable<Shape> ? Name : never;
}[keyof ParentShape] &
  string;

/** A list is only read. */
type Readable<Shape> = Shape extends readonly (infer Item)[] ? readonly Item[] : Shape;

declare global {
  export namespace PothosSchemaTypes {
    interface FieldBuilder<Types extends SchemaTypes, ParentShape, Kind extends FieldKind = FieldKind> {
      /** A property that is never null. */
      member<
        const Type extends TypeParam<Types>,
        Name extends Shown<ParentShape, ShapeFromTypeParam<Types, Type, false>>,
      >(name: Name, type: Type, description: string): FieldRef<Types, ShapeFromTypeParam<Types, Type, false>, Kind>;
      /** A property that may be null or absent. */
      nullable<
        const Type extends TypeParam<Types>,
        Name extends Shown<ParentShape, ShapeFromTypeParam<Types, Type, true>>,
      >(name: Name, type: Type, description: string): FieldRef<Types, ShapeFromTypeParam<Types, Type, true>, Kind>;
    }
  }
}

type Builder = PothosSchemaTypes.FieldBuilder<SchemaTypes, Record<string, unknown>>;

Object.assign(FieldBuilder.prototype, {
  member(this: Builder, name: string, type: TypeParam<SchemaTypes>, description: string) {
    return this.expose(name, { type, description });
  },
  nullable(this: Builder, name: string, type: TypeParam<SchemaTypes>, description: string) {
    return this.expose(name, { type, description, nullable: true });
  },
});

-- +goose Up
-- Nothing asks for a person's own lists.
DROP INDEX bulks_actor;
